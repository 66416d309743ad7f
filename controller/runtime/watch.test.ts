import { describe, expect, test } from 'bun:test';
import { Api } from './api.ts';
import { Cache } from './cache.ts';
import { FakeClock } from './clock.fake.ts';
import { type ConfigMap, configMaps } from './core.ts';
import { FakeLog } from './log.fake.ts';
import { createMetrics } from './metrics.ts';
import { seededRandom } from './random.ts';
import { type Answer, FakeServer, FakeStream, hang, json, status, turnUntil } from './server.fake.ts';
import { runCache, type WatchEvent, watch } from './watch.ts';
import { watchMetrics } from './watchmetrics.ts';

const sheep = (name: string, version: number): ConfigMap => ({
  metadata: { name, namespace: 'farm', uid: `uid-${name}`, resourceVersion: String(version) },
});

const list = (version: number, ...items: ConfigMap[]): Answer =>
  json({ metadata: { resourceVersion: String(version) }, items });

const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };

function short(event: WatchEvent<ConfigMap>): string {
  if (event.type === 'absent') return event.type;
  if (event.type === 'mark') return `mark @${event.resourceVersion}`;
  if (event.type !== 'reset')
    return `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`;
  return ['reset', ...event.items.map(({ metadata }) => metadata.name), `@${event.resourceVersion}`].join(' ');
}

/** A watch that runs against a script; `told` is what it yielded so far. */
class Scene implements Disposable {
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

describe('a watch', () => {
  test('lists, then tells every change from the version of the list on', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(5, sheep('a', 1), sheep('b', 5)), stream.answer);
    await scene.hear(1);
    await stream.event('ADDED', sheep('c', 6));
    await stream.event('MODIFIED', sheep('a', 7));
    await stream.event('DELETED', sheep('b', 8));
    await stream.event('BOOKMARK', { metadata: { resourceVersion: '12' } });
    expect(await scene.hear(5)).toEqual(['reset a b @5', 'put c@6', 'put a@7', 'drop b@8', 'mark @12']);
    expect(scene.from).toEqual(['5']);
  });

  test('asks for bookmarks, and for an end after five to ten minutes', async () => {
    using scene = new Scene(list(5), new FakeStream().answer);
    await scene.ask(2);
    const query = new URL(scene.server.received[1]?.path ?? '', 'http://x').searchParams;
    expect(query.get('allowWatchBookmarks')).toBe('true');
    expect(Number(query.get('timeoutSeconds'))).toBeWithin(300, 600);
  });

  test('goes on at once from the last version when the server lets it run out', async () => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, second.answer);
    await first.event('BOOKMARK', { metadata: { resourceVersion: '9' } });
    await scene.hear(2);
    await scene.clock.advance(60_000);
    await first.end();
    await second.event('ADDED', sheep('a', 10));
    expect(await scene.hear(3)).toEqual(['reset @5', 'mark @9', 'put a@10']);
    expect(scene.from).toEqual(['5', '9']);
    expect(scene.log.lines).toEqual([]);
  });

  test('waits ever longer for a server that ends it at once', async () => {
    const ended: Answer = () => new Response('');
    using scene = new Scene(list(5), ended, ended, ended, ended, ended, ended, ended);
    const waits: number[] = [];
    for (let tries = 0; tries < 6; tries++) {
      await turnUntil(() => scene.log.lines.length > 0);
      waits.push(Number(scene.log.lines[0]?.fields['waitMs']));
      await scene.pause();
    }
    for (const [index, base] of [500, 1_000, 2_000, 3_000, 3_000, 3_000].entries()) {
      expect(waits[index]).toBeWithin(base * 0.8, Math.min(base * 1.2, 3_000) + 1);
    }
  });
});

describe('a watch whose version the server has forgotten lists anew', () => {
  test('when the server says so at once', async () => {
    using scene = new Scene(list(5, sheep('a', 1)), status(410, 'Expired'), list(9, sheep('b', 9)), hang);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset a @5', 'reset b @9']);
    await scene.ask(4);
    expect(scene.from).toEqual(['5', '9']);
  });

  test('when the server says so in an event', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(5), stream.answer, list(9), hang);
    await stream.event('ERROR', gone);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @9']);
  });

  test('when the server does not know it yet', async () => {
    using scene = new Scene(list(5), status(504, 'Timeout'), list(3), hang);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @3']);
  });

  test('when history went back', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(50), stream.answer, list(9), hang);
    await stream.event('ADDED', sheep('a', 8));
    await turnUntil(() => scene.log.lines.length > 0);
    expect(scene.log.lines[0]?.fields['error']).toEqual(new Error('history went back from version 50 to 8'));
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @50', 'reset @9']);
  });
});

describe('a watch that breaks goes on from the last version', () => {
  test.each([
    ['cut within a line', '{"type":"ADDED","obj'],
    ['a line that is no event', '{"type":\n'],
    ['an error of the server', `{"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd is away"}}\n`],
  ])('%s', async (_what, text) => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, second.answer);
    await first.event('ADDED', sheep('a', 6));
    await scene.hear(2);
    await first.write(text);
    if (!text.endsWith('\n')) await first.end();
    await scene.pause();
    await second.event('ADDED', sheep('b', 7));
    expect(await scene.hear(3)).toEqual(['reset @5', 'put a@6', 'put b@7']);
    expect(scene.from).toEqual(['5', '6']);
  });

  test('a silent connection', async () => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, second.answer);
    await first.event('ADDED', sheep('a', 6));
    await scene.hear(2);
    await scene.clock.advance(60_000);
    await first.event('BOOKMARK', { metadata: { resourceVersion: '8' } });
    await scene.hear(3);
    await scene.clock.advance(89_999);
    expect(scene.server.received.length).toBe(2);
    await scene.clock.advance(1);
    await first.left;
    await scene.pause();
    await scene.ask(3);
    expect(scene.from).toEqual(['5', '8']);
  });

  test('but a connection that was silent from its beginning is followed by a list', async () => {
    using scene = new Scene(list(5), hang, list(6), hang);
    await scene.ask(2);
    await scene.clock.advance(90_000);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @6']);
  });

  test('and is no reason to worry: a server sends no bookmarks about a resource without any objects', async () => {
    using scene = new Scene(list(5), hang, list(5), hang);
    await scene.ask(2);
    await scene.clock.advance(90_000);
    await turnUntil(() => scene.log.lines.length > 0);
    expect(scene.log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(['debug watch interrupted']);
  });
});

describe('a list that fails', () => {
  test('is tried again until it succeeds, and every failure is logged with its error', async () => {
    using scene = new Scene(status(403, 'Forbidden'), status(500, 'InternalError'), list(5), hang);
    await turnUntil(() => scene.log.lines.length > 0);
    expect(scene.log.lines[0]).toMatchObject({
      level: 'warn',
      message: 'watch interrupted',
      fields: { resource: 'configmaps', error: { status: 403 } },
    });
    await scene.pause();
    await scene.pause();
    expect(await scene.hear(1)).toEqual(['reset @5']);
  });
});

describe('the signal ends it without an error and leaves no timer', () => {
  test.each([
    ['while it lists', [hang]],
    ['before a watch is answered', [list(5), hang]],
    ['during a watch', [list(5), new FakeStream().answer]],
    ['between two tries', [status(500, 'InternalError')]],
  ])('%s', async (_what, script) => {
    using scene = new Scene(...script);
    await scene.ask(script.length);
    await turnUntil(() => scene.clock.pending > 0);
    await scene.stop();
    expect(scene.clock.pending).toBe(0);
  });
});

test('whoever leaves the loop closes the connection', async () => {
  const stream = new FakeStream();
  using scene = new Scene(hang, list(5), stream.answer);
  await scene.ask(1);
  for await (const event of watch<ConfigMap>({ ...scene.parts, signal: new AbortController().signal })) {
    if (event.type === 'put') break;
    void stream.event('ADDED', sheep('a', 6));
  }
  await stream.left;
});

test('what was listed and watched is counted', async () => {
  const stream = new FakeStream();
  using scene = new Scene(list(5, sheep('a', 1)), stream.answer, hang);
  await stream.event('ADDED', sheep('b', 6));
  await scene.hear(2);
  await stream.end();
  await scene.pause();
  const text = await scene.metrics.text();
  for (const line of [
    'mcm_reflector_lists_total{name="configmaps"} 1',
    'mcm_reflector_items_per_list_sum{name="configmaps"} 1',
    'mcm_reflector_watches_total{name="configmaps"} 1',
    'mcm_reflector_items_per_watch_sum{name="configmaps"} 1',
    'mcm_reflector_last_resource_version{name="configmaps"} 6',
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain('drover_metrics_errors_total{');
});

test('a cache follows a resource until the signal aborts', async () => {
  const stream = new FakeStream();
  using scene = new Scene(hang, list(5, sheep('a', 1), sheep('b', 2)), stream.answer);
  await scene.ask(1);
  const stop = new AbortController();
  const cache = new Cache<ConfigMap>({ freeze: true });
  const running = runCache<ConfigMap>({ ...scene.parts, cache, signal: stop.signal });
  await cache.whenSynced();
  await stream.event('ADDED', sheep('c', 6));
  await stream.event('DELETED', sheep('a', 7));
  await stream.event('BOOKMARK', { metadata: { resourceVersion: '9' } });
  await cache.whenSeen(sheep('x', 9));
  expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
  stop.abort();
  await running;
});
