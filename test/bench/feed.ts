import type { Connection } from '../../controller/runtime/client/api.ts';
import { noCredentials } from '../../controller/runtime/client/connection.ts';
import { servePages } from './pages.ts';
import sample from './testdata/machine.json';

/** What a feed serves. */
export interface FeedOptions {
  /** How many Machines its list has. */
  machines: number;
  /** How many of them it tells to have changed, one after another, as soon as somebody watches. */
  events: number;
}

/** A process that serves Machines as an API server does, so that whoever reads them is measured alone. */
export interface Feed extends Disposable {
  connection: Connection;
}

/** Starts a feed; it ends when it is disposed of. */
export async function startFeed({ machines, events }: FeedOptions): Promise<Feed> {
  const child = Bun.spawn([process.execPath, import.meta.path, String(machines), String(events)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  for await (const port of child.stdout.pipeThrough(new TextDecoderStream())) {
    const connection = { server: `http://127.0.0.1:${port.trim()}`, credentials: noCredentials };
    return { connection, [Symbol.dispose]: () => child.kill() };
  }
  throw new Error(`the feed ended with code ${await child.exited} before it listened`);
}

/** Lines that are written to a watch at a time. */
const LINES_A_CHUNK = 64;

/** A Machine as it comes over the wire, with its managed fields: 3.9 KB. */
function machine(index: number, version: number): string {
  const name = `herd-756f4-${index}`;
  const metadata = { ...sample.metadata, name, uid: `uid-${index}`, resourceVersion: String(version) };
  return JSON.stringify({ ...sample, metadata });
}

/** All events, and then silence. */
function changes({ machines, events }: FeedOptions): ReadableStream<string> {
  let told = 0;
  return new ReadableStream({
    async pull(controller) {
      if (told >= events) await new Promise(() => {});
      const count = Math.min(LINES_A_CHUNK, events - told);
      const lines = Array.from({ length: count }, (_, at) => {
        const index = (told + at) % machines;
        return `{"type":"MODIFIED","object":${machine(index, told + at + 2)}}\n`;
      });
      told += count;
      controller.enqueue(lines.join(''));
    },
  });
}

if (import.meta.main) {
  const [machines = 0, events = 0] = process.argv.slice(2).map(Number);
  const object = (index: number) => machine(index, 1);
  servePages({ count: machines, version: 1, object, changes: () => changes({ machines, events }) });
}
