import { describe, expect, test } from 'bun:test';
import { Api } from '../client/api.ts';
import { FakeClock } from '../clock.fake.ts';
import { Reach } from '../health/probe.ts';
import { configMaps } from '../k8s/core.ts';
import type { KubeObject } from '../k8s/object.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { seededRandom } from '../random.ts';
import { FakeServer, FakeStream, hang, json, turnUntil } from '../server.fake.ts';
import { Cache } from './cache.ts';
import { watchMetrics } from './events.ts';
import { runCache } from './watch.ts';

/** hack/decisions/0028 R4: what an object does to those who look at it stops nothing but that. */

interface Sheep extends KubeObject {
  spec: { pasture: string; wool?: string };
}

const sheep = (name: string, version: number, pasture?: string) =>
  ({
    metadata: { name, namespace: 'farm', uid: `uid-${name}`, resourceVersion: String(version) },
    ...(pasture && { spec: { pasture, wool: 'much' } }),
  }) as Sheep;

/** A cache whose index and `keep` read the spec, and whose first listener knows no sheep named molly. */
function watched() {
  const log = new FakeLog();
  const cache = new Cache<Sheep>({
    log,
    indexes: { pasture: ({ spec }) => [spec.pasture], name: ({ metadata }) => [metadata.name] },
    keep: ({ metadata, spec: { pasture } }) => ({ metadata, spec: { pasture } }),
  });
  const told: string[] = [];
  cache.onChange(({ after }) => {
    if (after?.metadata.name === 'molly') throw new Error('molly?');
  });
  cache.onChange(({ key, after }) => told.push(`${after ? '' : '-'}${key}`));
  const errors = () => log.lines.map(({ level, message, fields }) => `${level} ${message} ${fields['key']}`);
  return { log, cache, told, errors };
}

const names = (found: Sheep[]) => found.map(({ metadata }) => metadata.name);
const SAID = [
  'error an object cannot be slimmed, and is kept whole farm/bad',
  'error an object cannot be indexed, and is not found by that index farm/bad',
];

describe('an object without what an index and keep read', () => {
  test.each<[what: string, put: (cache: Cache<Sheep>) => void]>([
    ['in a list', (cache) => cache.reset([sheep('a', 1, 'hill'), sheep('bad', 2), sheep('b', 3, 'hill')], '3')],
    [
      'in events',
      (cache) => [sheep('a', 1, 'hill'), sheep('bad', 2), sheep('b', 3, 'hill')].map((one) => cache.put(one)),
    ],
  ])('%s is kept whole, found by all other indexes, and told of once', (_, put) => {
    const { cache, told, errors } = watched();
    put(cache);
    expect(names(cache.list())).toEqual(['a', 'bad', 'b']);
    expect(names(cache.by('pasture', 'hill'))).toEqual(['a', 'b']);
    expect(names(cache.by('name', 'bad'))).toEqual(['bad']);
    expect(told).toEqual(['farm/a', 'farm/bad', 'farm/b']);
    expect(errors()).toEqual(SAID);
    cache.reset(cache.list(), '4');
    expect(errors()).toEqual(SAID);
  });

  test('is told of again in another version, is found when it is well, and can go', () => {
    const { cache, errors } = watched();
    cache.put(sheep('bad', 2));
    cache.put(sheep('bad', 3));
    expect(errors()).toEqual([...SAID, ...SAID]);
    cache.put(sheep('bad', 4, 'hill'));
    expect(names(cache.by('pasture', 'hill'))).toEqual(['bad']);
    cache.put(sheep('bad', 5));
    expect(cache.by('pasture', 'hill')).toEqual([]);
    cache.drop(sheep('bad', 6));
    expect([cache.size, cache.by('name', 'bad')]).toEqual([0, []]);
  });
});

test('a watch goes on after it, and counts what failed', async () => {
  const stream = new FakeStream();
  const items = [sheep('bad', 1), sheep('molly', 2, 'hill')];
  using server = new FakeServer(json({ metadata: { resourceVersion: '5' }, items }), stream.answer, hang);
  const { cache } = watched();
  const [clock, log, metrics, stop] = [
    new FakeClock(),
    new FakeLog(),
    createMetrics({ tables: [watchMetrics] }),
    new AbortController(),
  ];
  const api = new Api({ connection: server.connection, clock });
  const parts = {
    api,
    resource: configMaps as never,
    clock,
    log,
    random: seededRandom(1),
    metrics,
    signal: stop.signal,
  };
  const running = runCache<Sheep>({ ...parts, cache });
  await cache.whenSynced();
  await stream.event('MODIFIED', sheep('bad', 6));
  await stream.event('ADDED', sheep('a', 7, 'hill'));
  await turnUntil(() => cache.size === 3);
  const text = await metrics.text();
  for (const part of ['index', 'keep', 'listener'])
    expect(text).toMatch(new RegExp(`drover_cache_errors_total{name="configmaps",part="${part}"} [1-9]`));
  stop.abort();
  await running;
});

test('an event that a cache cannot take at all does not end the watch', async () => {
  const stream = new FakeStream();
  using server = new FakeServer(json({ metadata: { resourceVersion: '5' }, items: [] }), stream.answer, hang);
  const { cache } = watched();
  const put = cache.put.bind(cache);
  cache.put = (object) => {
    if (object.metadata.name === 'bad') throw new Error('ouch');
    put(object);
  };
  const [clock, log, stop] = [new FakeClock(), new FakeLog(), new AbortController()];
  const api = new Api({ connection: server.connection, clock });
  const parts = { api, resource: configMaps as never, clock, log, random: seededRandom(1), signal: stop.signal };
  const running = runCache<Sheep>({ ...parts, cache });
  await stream.event('ADDED', sheep('bad', 6, 'hill'));
  await stream.event('ADDED', sheep('a', 7, 'hill'));
  await turnUntil(() => cache.size === 1);
  expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'error an event of a watch was not taken',
  ]);
  stop.abort();
  await running;
});

test('who listens to how a server stands, and throws, keeps neither the probes nor the others', async () => {
  const [clock, log, stop] = [new FakeClock(), new FakeLog(), new AbortController()];
  const parts = {
    clock,
    log,
    name: 'control',
    probe: async () => {},
    unreachableAfterMs: 30_000,
    periodMs: 10_000,
    from: 0,
  };
  const reach = new Reach(parts);
  let told = 0;
  reach.onChange(() => {
    throw new Error('ouch');
  });
  reach.onChange(() => told++);
  void reach.run(stop.signal);
  await clock.advance(1_000);
  expect([told, reach.fact()]).toEqual([1, { backSince: 0 }]);
  expect(log.lines.map(({ message }) => message)).toContain('who was told of an API server failed');
  stop.abort(new Error('enough'));
});

test('a list makes nothing new of what has not changed', () => {
  const { cache } = watched();
  cache.reset([sheep('a', 1, 'hill'), sheep('b', 2, 'hill')], '2');
  const [a, b] = cache.list();
  cache.reset([sheep('a', 1, 'hill'), sheep('b', 3, 'valley')], '3');
  expect(cache.get('farm/a')).toBe(a as Sheep);
  expect(cache.get('farm/b')).not.toBe(b as Sheep);
  cache.reset([{ ...sheep('a', 1, 'hill'), metadata: { ...sheep('a', 1).metadata, uid: 'another' } }], '4');
  expect(cache.get('farm/a')?.metadata.uid).toBe('another');
});

test('but after a history that went back everything counts as changed', () => {
  const { cache, told } = watched();
  cache.reset([sheep('a', 8, 'hill')], '9');
  cache.reset([sheep('a', 8, 'valley')], '8');
  expect([cache.get('farm/a')?.spec.pasture, told]).toEqual(['valley', ['farm/a', 'farm/a']]);
});
