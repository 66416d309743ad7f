import { Api } from '../client/api.ts';
import { FakeClock } from '../clock.fake.ts';
import { type ConfigMap, configMaps } from '../k8s/core.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { seededRandom } from '../random.ts';
import { type Answer, FakeServer, json, turnUntil } from '../server.fake.ts';
import { watchMetrics } from './events.ts';
import type { WatchEvent } from './growth.ts';
import { watch } from './watch.ts';

/** An object in the namespace `farm`. */
export const sheep = (name: string, version: number): ConfigMap => ({
  metadata: { name, namespace: 'farm', uid: `uid-${name}`, resourceVersion: String(version) },
});

/** A list of one page. */
export const list = (version: number, ...items: ConfigMap[]): Answer =>
  json({ metadata: { resourceVersion: String(version) }, items });

function short(event: WatchEvent<ConfigMap>): string {
  if (event.type === 'absent') return event.type;
  if (event.type === 'unlisted') return `${event.type}: ${event.error.reason}`;
  if (event.type === 'outgrown') return `${event.type}: ${event.why}`;
  if (event.type === 'mark') return `mark @${event.resourceVersion}`;
  if (event.type !== 'reset')
    return `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`;
  return ['reset', ...event.items.map(({ metadata }) => metadata.name), `@${event.resourceVersion}`].join(' ');
}

/** A watch that runs against a script; `told` is what it yielded so far. */
export class Scene implements Disposable {
  readonly clock = new FakeClock();
  readonly log = new FakeLog();
  readonly metrics = createMetrics({ tables: [watchMetrics] });
  readonly told: string[] = [];
  readonly server: FakeServer;
  readonly parts;
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();

  constructor(...script: Answer[]) {
    this.server = new FakeServer(...script);
    const { clock, log, metrics } = this;
    const api = new Api({ connection: this.server.connection, clock });
    const random = seededRandom(1);
    this.parts = { api, resource: configMaps, clock, random, log, metrics, signal: this.#stop.signal };
    this.ended = this.#follow();
  }

  /** Resolves when so much was told. */
  async hear(count: number): Promise<string[]> {
    await turnUntil(() => this.told.length >= count);
    return this.told;
  }

  /** Resolves when the server got so many requests. */
  async ask(count: number): Promise<void> {
    await turnUntil(() => this.server.received.length >= count);
  }

  /** Waits for the pause after a failure, and lets it pass. */
  async pause(): Promise<void> {
    await turnUntil(() => this.log.lines.length > 0);
    const { waitMs } = this.log.lines.shift()?.fields ?? {};
    await this.clock.advance(Number(waitMs) + 1);
  }

  /** Versions from which the watches so far went on. */
  get from(): Array<string | null> {
    const queries = this.server.received.map(({ path }) => new URL(path, 'http://x').searchParams);
    return queries.filter((query) => query.has('watch')).map((query) => query.get('resourceVersion'));
  }

  stop(): Promise<void> {
    this.#stop.abort(new Error('enough'));
    return this.ended;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.server[Symbol.dispose]();
  }

  async #follow(): Promise<void> {
    for await (const event of watch<ConfigMap>(this.parts)) this.told.push(short(event));
  }
}
