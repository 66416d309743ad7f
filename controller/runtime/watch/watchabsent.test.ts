import { describe, expect, test } from 'bun:test';
import { Api } from '../client/api.ts';
import { FakeClock } from '../clock.fake.ts';
import type { KubeObject, Resource } from '../k8s/object.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { seededRandom } from '../random.ts';
import { type Answer, FakeServer, FakeStream, hang, json, status, turnUntil } from '../server.fake.ts';
import { Cache } from './cache.ts';
import { follows } from './syncing.ts';
import { runCache } from './watch.ts';

/** Resources that a server need not serve, because their CRD may be missing (hack/decisions/0028 R2). */

const dogs: Resource = { group: 'farm.example', version: 'v1', plural: 'dogs', kind: 'Dog', namespaced: true };

const page = (code: number) => () => new Response('404 page not found', { status: code });
const list: Answer = json({
  metadata: { resourceVersion: '5' },
  items: [{ metadata: { name: 'rex', namespace: 'farm', uid: 'rex', resourceVersion: '4' } }],
});
const groupsOf = (...names: string[]): Answer =>
  json({
    kind: 'APIGroupList',
    groups: names.map((name) => ({ name, versions: [{ groupVersion: `${name}/v1`, version: 'v1' }] })),
  });
const resourcesOf = (...names: string[]): Answer =>
  json({ kind: 'APIResourceList', groupVersion: 'farm.example/v1', resources: names.map((name) => ({ name })) });

/** A server, told by what it answers on each kind of path now. */
class Server implements Disposable {
  readonly asked: string[] = [];
  list: Answer = list;
  watch: Answer = hang;
  group: Answer = resourcesOf('dogs');
  groups: Answer = groupsOf('apps', 'farm.example');
  readonly #server: FakeServer;

  constructor() {
    const answer: Answer = (received) => this.#answerTo(received.path)(received);
    this.#server = new FakeServer(...Array<Answer>(1_000).fill(answer));
  }

  get connection() {
    return this.#server.connection;
  }

  /** It serves the resource no longer: list and discovery agree. */
  uninstall(): void {
    Object.assign(this, { list: page(404), watch: page(404), group: page(404), groups: groupsOf('apps') });
  }

  [Symbol.dispose](): void {
    this.#server[Symbol.dispose]();
  }

  #answerTo(path: string): Answer {
    const what = path.includes('watch=')
      ? 'watch'
      : path.includes('dogs')
        ? 'list'
        : path === '/apis'
          ? 'groups'
          : 'group';
    this.asked.push(what);
    return this[what];
  }
}

/** A cache that follows the server. */
function follow(server: Server, mayBeAbsent = true) {
  const [clock, log, cache, stop] = [new FakeClock(), new FakeLog(), new Cache<KubeObject>(), new AbortController()];
  const api = new Api({ connection: server.connection, clock });
  const parts = { api, resource: dogs, clock, log, random: seededRandom(1), signal: stop.signal };
  void runCache({ ...parts, cache, mayBeAbsent });
  return {
    cache,
    clock,
    /** Waits for the next pause and lets it pass; the answer is how long it was, and how it was told of. */
    async pause() {
      await turnUntil(() => log.lines.length > 0);
      const { level, fields } = log.lines.shift() ?? {};
      await clock.advance(Number(fields?.['waitMs']) + 1);
      return [level, fields?.['waitMs']];
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}

describe('a resource that discovery does not know either', () => {
  test.each<[what: string, group: Answer, groups: Answer]>([
    ['lacks its group', page(404), groupsOf('apps')],
    ['lacks its version', page(404), groupsOf('apps', 'farm.example.org')],
    ['has its group, without it', resourcesOf('cats'), page(500)],
  ])('counts as empty the second time, and is asked for every ten seconds: discovery %s', async (_, group, groups) => {
    using server = new Server();
    Object.assign(server, { list: page(404), group, groups });
    using scene = follow(server);
    expect(await scene.pause()).toEqual(['debug', 5_000]);
    expect(scene.cache.synced).toBe(false);
    await turnUntil(() => scene.cache.synced);
    expect([scene.cache.served, scene.cache.list()]).toEqual([false, []]);
    // hack/decisions/0051 L72: that there are none is known for as long as the server says so.
    expect(follows(scene.cache, scene.clock.monotonic())).toBe(true);
    server.list = list;
    expect(await scene.pause()).toEqual(['debug', 10_000]);
    await turnUntil(() => scene.cache.served);
    expect(scene.cache.get('farm/rex')?.metadata.uid).toBe('rex');
  });

  test('may cease to be served', async () => {
    const stream = new FakeStream();
    using server = new Server();
    server.watch = stream.answer;
    using scene = follow(server);
    await turnUntil(() => scene.cache.synced && server.asked.includes('watch'));
    server.uninstall();
    await scene.clock.advance(60_000);
    await stream.end();
    await scene.pause();
    expect(scene.cache.size).toBe(1);
    await turnUntil(() => !scene.cache.served);
    expect(scene.cache.list()).toEqual([]);
  });
});

describe('a cache is stale rather than empty', () => {
  test.each<[what: string, wrong: Partial<Record<'list' | 'watch' | 'group' | 'groups', Answer>>]>([
    ['a 404 that discovery does not bear out', { list: page(404), watch: page(404) }],
    ['a 404 as a Status', { list: status(404, 'NotFound'), watch: status(404, 'NotFound') }],
    ['a 404 for everything', { list: page(404), watch: page(404), group: page(404), groups: page(404) }],
    ['a proxy without words', { list: page(404), watch: page(404), group: page(502), groups: page(502) }],
    ['a text page for discovery', { list: page(404), watch: page(404), group: page(200), groups: page(200) }],
    ['discovery of something else', { watch: page(404), group: json({ kind: 'Status' }), groups: json({}) }],
    ['discovery of no group', { watch: page(404), group: page(404), groups: groupsOf() }],
    ['a text page for the list', { list: page(200), watch: status(410, 'Expired') }],
    ['JSON that is no list', { list: json({ message: 'hello' }), watch: status(410, 'Expired') }],
    [
      'JSON of another kind',
      { list: json({ kind: 'Pod', metadata: { resourceVersion: '9' } }), watch: status(410, 'Gone') },
    ],
    [
      'a list without items',
      { list: json({ kind: 'DogList', metadata: { resourceVersion: '9' } }), watch: status(410, 'Gone') },
    ],
  ])('after %s', async (_, wrong) => {
    const stream = new FakeStream();
    using server = new Server();
    server.watch = stream.answer;
    using scene = follow(server);
    await turnUntil(() => scene.cache.synced && server.asked.includes('watch'));
    Object.assign(server, wrong);
    await scene.clock.advance(60_000);
    await stream.end();
    for (let tries = 0; tries < 5; tries++) await scene.pause();
    expect([scene.cache.size, scene.cache.served]).toEqual([1, true]);
  });

  test('and one that was never filled does not count as filled', async () => {
    using server = new Server();
    server.list = page(404);
    using scene = follow(server);
    for (let tries = 0; tries < 5; tries++) await scene.pause();
    expect(scene.cache.synced).toBe(false);
  });

  test('when discovery agrees only now and then', async () => {
    using server = new Server();
    server.list = page(404);
    using scene = follow(server);
    for (let tries = 0; tries < 6; tries++) {
      server.group = tries % 2 === 0 ? resourcesOf('cats') : page(502);
      await scene.pause();
    }
    expect(scene.cache.synced).toBe(false);
  });
});

test('a resource that must be there is waited for, whatever discovery says', async () => {
  using server = new Server();
  server.uninstall();
  using scene = follow(server, false);
  expect(await scene.pause()).toEqual(['warn', expect.any(Number)]);
  expect(await scene.pause()).toEqual(['warn', expect.any(Number)]);
  expect([scene.cache.synced, server.asked.includes('groups')]).toEqual([false, false]);
});
