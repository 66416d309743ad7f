import { expect, test } from 'bun:test';
import { Api } from '../client/api.ts';
import { FakeClock } from '../clock.fake.ts';
import { type ConfigMap, configMaps } from '../k8s/core.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { seededRandom } from '../random.ts';
import { FakeServer, FakeStream, json, status, turnUntil } from '../server.fake.ts';
import { Cache } from './cache.ts';
import { runCache } from './watch.ts';

const list = (version: number, ...items: ConfigMap[]) =>
  json({ metadata: { resourceVersion: String(version) }, items });

test('a cache tells when it last heard of its server, and is listed anew when somebody asks', async () => {
  const [first, second] = [new FakeStream(), new FakeStream()];
  using server = new FakeServer(list(5), first.answer, list(9), second.answer);
  const clock = new FakeClock();
  const begun = clock.monotonic();
  const stop = new AbortController();
  const cache = new Cache<ConfigMap>();
  expect([cache.heardAt, cache.listedAt]).toEqual([undefined, undefined]);
  const parts = { api: new Api({ connection: server.connection, clock }), clock, random: seededRandom(1) };
  const running = runCache<ConfigMap>({
    ...parts,
    log: new FakeLog(),
    resource: configMaps,
    cache,
    signal: stop.signal,
  });
  await cache.whenSynced();
  expect([cache.heardAt, cache.listedAt]).toEqual([begun, begun]);
  await clock.advance(60_000);
  await first.event('BOOKMARK', { metadata: { resourceVersion: '6' } });
  await cache.whenSeen({ metadata: { name: 'x', resourceVersion: '6' } });
  expect([cache.heardAt, cache.listedAt]).toEqual([begun + 60_000, begun]);
  await clock.advance(10_000);
  cache.renew();
  await turnUntil(() => clock.pending > 0);
  await clock.advance(1);
  await cache.whenSeen({ metadata: { name: 'x', resourceVersion: '9' } });
  expect([cache.heardAt, cache.listedAt]).toEqual([begun + 70_000, begun + 70_000]);
  stop.abort(new Error('enough'));
  await running;
});

test('a cache that somebody asked to be listed anew is so, even if the first list fails', async () => {
  const first = new FakeStream();
  const third = new FakeStream();
  using server = new FakeServer(list(5), first.answer, status(500, 'InternalError'), list(9), third.answer);
  const clock = new FakeClock();
  const begun = clock.monotonic();
  const stop = new AbortController();
  const cache = new Cache<ConfigMap>();
  const api = new Api({ connection: server.connection, clock });
  const parts = { api, clock, random: seededRandom(1), log: new FakeLog(), resource: configMaps, cache };
  const running = runCache<ConfigMap>({ ...parts, signal: stop.signal });
  await cache.whenSynced();
  await turnUntil(() => server.received.length > 1);
  cache.renew();
  await turnUntil(() => {
    void clock.advance(100);
    return server.received.length > 4;
  });
  expect(server.received.slice(2, 4).map(({ path }) => path.includes('watch'))).toEqual([false, false]);
  expect(cache.listedAt).toBeGreaterThan(begun);
  stop.abort(new Error('enough'));
  await running;
});

// hack/decisions/0028 O11
test('a store that was restored and went on shows its own content, under whatever versions', async () => {
  const wool = (name: string, color: string): ConfigMap => ({
    metadata: { name, namespace: 'farm', uid: name, resourceVersion: '4' },
    data: { color },
  });
  const [first, second] = [new FakeStream(), new FakeStream()];
  using server = new FakeServer(
    list(5, wool('dolly', 'white'), wool('molly', 'black')),
    first.answer,
    list(9, wool('dolly', 'green'), wool('molly', 'black')),
    second.answer,
  );
  const clock = new FakeClock();
  const stop = new AbortController();
  const cache = new Cache<ConfigMap>();
  const told: string[] = [];
  cache.onChange(
    ({ key, before, after }) => void told.push(`${key} ${before?.data?.['color']} ${after?.data?.['color']}`),
  );
  const parts = { api: new Api({ connection: server.connection, clock }), clock, random: seededRandom(1), cache };
  const running = runCache({ ...parts, log: new FakeLog(), resource: configMaps, signal: stop.signal });
  await cache.whenSynced();
  told.length = 0;
  await turnUntil(() => server.received.length > 1);
  cache.renew();
  await turnUntil(() => {
    void clock.advance(100);
    return server.received.length > 3;
  });
  expect(told).toEqual(['farm/dolly white green']);
  expect(cache.get('farm/dolly')?.data).toEqual({ color: 'green' });
  stop.abort(new Error('enough'));
  await running;
});
