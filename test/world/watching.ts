import type { Clock } from '../../controller/runtime/clock.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { expired } from './refusal.ts';
import type { Wanted } from './selecting.ts';
import type { Store, Write } from './store.ts';

/** Where the lines of a watch go; after `end` none comes. */
export interface WatchSink {
  line(text: string): void;
  end(): void;
}

/** What is watched, from when on and how. */
export interface Watching {
  resource: string;
  wanted: Wanted;
  /** Everything after this version is told. */
  from: number;
  bookmarks: boolean;
  /** After so many milliseconds the server ends the watch. */
  lastsMs: number;
}

/** About how often a server tells that nothing happened. */
const BOOKMARK_MS = 60_000;

/** Tells a sink what happens to a resource, in order, beginning with what has happened since; the answer ends that. */
export function watchStore(
  { store, clock }: { store: Store; clock: Clock },
  watching: Watching,
  sink: WatchSink,
): () => void {
  const past = store.since(watching.from);
  if (!past) {
    sink.line(lineOf('ERROR', expired(String(watching.from)).status));
    sink.end();
    return () => {};
  }
  const tell = (write: Write) => {
    const type = write.resource === watching.resource && typeOf(write, watching.wanted);
    if (type) sink.line(lineOf(type, write.told));
  };
  const endings: Array<() => void> = [];
  const stop = () => {
    for (const end of endings.splice(0)) end();
  };
  for (const write of past) tell(write);
  endings.push(store.onWrite(tell));
  endings.push(
    clock.after(watching.lastsMs, () => {
      stop();
      sink.end();
    }),
  );
  if (watching.bookmarks) endings.push(every(clock, BOOKMARK_MS, () => sink.line(bookmark(store, watching.resource))));
  return stop;
}

function every(clock: Clock, ms: number, run: () => void): () => void {
  let cancel = () => {};
  const arm = () => {
    cancel = clock.after(ms, () => {
      run();
      arm();
    });
  };
  arm();
  return () => cancel();
}

/** What a write means to somebody who sees only some objects: one that no longer matches is gone to them. */
function typeOf({ before, after }: Write, wanted: Wanted): 'ADDED' | 'MODIFIED' | 'DELETED' | undefined {
  const was = before !== undefined && wanted(before);
  const is = after !== undefined && wanted(after);
  if (was && is) return 'MODIFIED';
  if (is) return 'ADDED';
  return was ? 'DELETED' : undefined;
}

const bookmark = ({ version }: Store, resource: string): string =>
  lineOf('BOOKMARK', { kind: resource, metadata: { resourceVersion: String(version) } });

const texts = new WeakMap<object, string>();

/** A line of a watch; an object is turned into text once, however many watch it. */
function lineOf(type: string, object: KubeObject | object): string {
  const text = texts.get(object) ?? JSON.stringify(object);
  texts.set(object, text);
  return `{"type":"${type}","object":${text}}\n`;
}
