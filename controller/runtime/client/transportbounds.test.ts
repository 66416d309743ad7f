import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { OpenShare } from '../fairness/openshare.ts';
import { type ConfigMap, configMaps } from '../k8s/core.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { seededRandom } from '../random.ts';
import { type Answer, FakeServer, FakeStream, hang, json, turnUntil } from '../server.fake.ts';
import { Cache } from '../watch/cache.ts';
import { runCache } from '../watch/watch.ts';
import { Api } from './api.ts';
import { errorOf } from './errors.fixture.ts';
import { apiMetrics } from './transport.ts';

// hack/decisions/0028 W8: what a hostile server can take from others

const ref = { namespace: 'farm', name: 'dolly' };
const found = json({ metadata: ref });
const clock = new FakeClock();

test('an object without an end is no answer', async () => {
  using server = new FakeServer(() => new Response(`{"data":{"a":"${'x'.repeat(9 << 20)}"}}`));
  const error = await errorOf(new Api({ connection: server.connection, clock }).get(configMaps, ref));
  expect(error).toMatchObject({
    code: 'ERR_ANSWER_TOO_LARGE',
    message: 'get configmaps farm/dolly: no usable answer: more than 4096 KiB came, the most that is read',
  });
});

test('an answer that is no JSON is not quoted', async () => {
  using server = new FakeServer(() => new Response('my-role-name\n'));
  const error = await errorOf(new Api({ connection: server.connection, clock }).get(configMaps, ref));
  expect(error.message).toBe('get configmaps farm/dolly: no usable answer: the answer is not JSON');
});

test('metrics name a server as it is called here, make up no codes, and forget it', async () => {
  const metrics = createMetrics({ tables: [apiMetrics] });
  using server = new FakeServer(
    found,
    () => new Response('', { status: 599 }),
    () => new Response('', { status: 418 }),
  );
  const { connection } = server;
  const api = new Api({
    connection: { ...connection, server: `${connection.server}/secret` },
    clock,
    metrics,
    server: 'herd/east',
  });
  await api.get(configMaps, ref);
  for (let calls = 0; calls < 2; calls++) await errorOf(api.get(configMaps, ref));
  const text = await metrics.text();
  for (const code of ['200', '4xx', '5xx'])
    expect(text).toContain(`rest_client_requests_total{code="${code}",method="GET",host="herd/east"} 1`);
  expect(text).not.toMatch(/127\.0\.0\.1|secret/);
  api.forget();
  await errorOf(api.get(configMaps, ref));
  expect(await metrics.text()).not.toContain('herd/east');
});

test('calls to a server that hangs wait for each other, and give up in time; a watch beside them is not counted', async () => {
  const stream = new FakeStream();
  using server = new FakeServer(hang, stream.answer, hang);
  const own = new FakeClock();
  const share = new OpenShare({ most: () => 1, clock: new FakeClock() });
  const api = new Api({ connection: server.connection, clock: own, share });
  const [one, two] = [errorOf(api.get(configMaps, ref)), errorOf(api.get(configMaps, ref))];
  await turnUntil(() => server.received.length === 1);
  const end = new AbortController();
  const watch = api.watch(configMaps, { signal: end.signal, resourceVersion: '1', timeoutSeconds: 60 }).next();
  await turnUntil(() => server.received.length === 2);
  await own.advance(30_000);
  expect((await Promise.all([one, two])).map(({ reason }) => reason)).toEqual(['DeadlineExceeded', 'DeadlineExceeded']);
  end.abort(new Error('enough'));
  await expect(watch).rejects.toThrow('enough');
});

const sheep = (name: string, version: number, wool = ''): ConfigMap => ({
  metadata: { name, namespace: 'farm', uid: name, resourceVersion: String(version) },
  data: { wool },
});

/** A cache with a bound that follows a server with this script. */
function following(...script: Answer[]) {
  const server = new FakeServer(...script);
  const own = new FakeClock();
  const stop = new AbortController();
  const cache = new Cache<ConfigMap>();
  const log = new FakeLog();
  const ended = runCache({
    api: new Api({ connection: server.connection, clock: own }),
    resource: configMaps,
    cache,
    clock: own,
    random: seededRandom(1),
    log,
    most: { objects: 3, bytes: 4096 },
    signal: stop.signal,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await ended;
    server[Symbol.dispose]();
  };
  return { clock: own, cache, log, [Symbol.asyncDispose]: end };
}

const list = (version: number, ...items: ConfigMap[]): Answer =>
  json({ metadata: { resourceVersion: String(version) }, items });

test('a list of more than is kept is refused, and says so', async () => {
  const many = ['a', 'b', 'c', 'd'].map((name) => sheep(name, 1));
  await using scene = following(list(1, ...many), hang);
  await turnUntil(() => scene.log.lines.length > 0);
  expect(String(scene.log.lines[0]?.fields['error'])).toContain('the list has more than 3 objects');
  expect(scene.cache.size).toBe(0);
});

test.each<[string, ConfigMap[]]>([
  ['more objects', ['a', 'b', 'c', 'd'].map((name, at) => sheep(name, at + 2))],
  ['larger objects', ['a', 'b'].map((name, at) => sheep(name, at + 2, 'x'.repeat(2500)))],
  ['an object that grows to more', [10, 5000].map((size, at) => sheep('a', at + 2, 'x'.repeat(size)))],
])('a watch that brings %s than are kept begins anew by a list', async (_what, objects) => {
  const stream = new FakeStream();
  await using scene = following(list(1), stream.answer, list(9, sheep('z', 9)), hang);
  await turnUntil(() => scene.cache.synced);
  for (const object of objects) await stream.event('ADDED', object).catch(() => {});
  await turnUntil(() => {
    void scene.clock.advance(1);
    return scene.cache.get('farm/z') !== undefined;
  });
  expect(scene.cache.size).toBe(1);
});

// hack/decisions/0028 O13
test.each<[string, number, ConfigMap[]]>([
  ['objects', 1, ['b', 'c', 'd', 'e'].map((name, at) => sheep(name, at + 2))],
  ['one object', 0, [sheep('b', 2, 'x'.repeat(5000))]],
])(
  'a watch that brings too many or too large %s later shows that its cache is old, until all fits again',
  async (_what, first, objects) => {
    const stream = new FakeStream();
    const there = Array.from({ length: first }, () => sheep('a', 1));
    const fits = list(9, sheep('z', 9));
    await using scene = following(list(1, ...there), stream.answer, list(8, ...there, ...objects), fits, hang);
    await turnUntil(() => scene.cache.synced);
    const told: boolean[] = [];
    scene.cache.sync.onChange(() => void told.push(scene.cache.synced));
    for (const object of objects) await stream.event('ADDED', object).catch(() => {});
    await turnUntil(() => {
      void scene.clock.advance(1);
      return !scene.cache.synced;
    });
    expect(scene.cache.outgrown).toContain('the list has more than');
    await turnUntil(() => {
      void scene.clock.advance(1000);
      return scene.cache.synced;
    });
    expect([scene.cache.outgrown, scene.cache.size, told]).toEqual([undefined, 1, [false, true]]);
  },
);

test('an event that is too large to be read is no reason to believe what was there before', async () => {
  const stream = new FakeStream();
  await using scene = following(list(1, sheep('a', 1)), stream.answer, list(9, sheep('z', 9)), hang);
  await turnUntil(() => scene.cache.synced);
  const told: boolean[] = [];
  scene.cache.sync.onChange(() => void told.push(scene.cache.synced));
  void stream.event('ADDED', sheep('b', 2, 'x'.repeat(5 << 20))).catch(() => {});
  await turnUntil(() => {
    void scene.clock.advance(1000);
    return scene.cache.get('farm/z') !== undefined;
  });
  expect(told).toEqual([false, true]);
});

test('whoever lists a server that is not trusted is held to its bound', async () => {
  using server = new FakeServer(list(1, sheep('a', 1), sheep('b', 1)));
  const api = new Api({ connection: server.connection, clock, most: { objects: 1, bytes: 4096 } });
  expect(await errorOf(api.list(configMaps))).toMatchObject({
    code: 'ERR_LIST_TOO_LARGE',
    message: 'list configmaps: no usable answer: the list has more than 1 objects, the most that is read of it',
  });
});
