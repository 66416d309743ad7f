import { expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import { FakeClock, MONOTONIC_START } from '../runtime/clock.fake.ts';
import { Cache } from '../runtime/watch/cache.ts';
import type { TargetCluster } from './cluster.ts';
import { TargetPool } from './pool.ts';

const BORN = Date.parse('2026-01-01T00:00:00Z');

const cluster = (metadata: object = {}): Cluster =>
  ({
    metadata: { name: 'east', namespace: 'herd', creationTimestamp: new Date(BORN).toISOString(), ...metadata },
    spec: { kubeconfigSecretRef: { name: 'east' } },
  }) as Cluster;

/** An object in the namespace of the Cluster. */
const object = (name?: string) => ({
  metadata: {
    name: 'm',
    namespace: 'herd',
    ...(name !== undefined && { labels: { 'cluster.k8s.io/cluster-name': name } }),
  },
});

/** A pool with this Cluster, if any. */
function pool(...there: Cluster[]) {
  const clock = new FakeClock(BORN + 60_000);
  const clusters = new Cache<Cluster>();
  clusters.reset(there, '1');
  return { pool: new TargetPool({ clusters, clock }), clock, clusters };
}

/** A target in one of its states. */
function opened({ known = true, isGivenUp = false } = {}) {
  let closed = false;
  const signal = new AbortController().signal;
  const target = {
    known,
    isGivenUp,
    since: MONOTONIC_START,
    target: {},
    signal,
    close: () => (closed = true),
  };
  return { target: target as unknown as TargetCluster, isClosed: () => closed };
}

const leaving = { deletionTimestamp: new Date(BORN).toISOString() };

test('no label is the default target, or none, which is legal (hack/spec/mcm.md 0.2)', () => {
  const { pool: targets } = pool();
  expect(targets.of(object())).toEqual({ at: 'none' });
  targets.add('', opened({ known: false }).target);
  expect(targets.of(object('')).at).toBe('opening');
  targets.add('', opened().target);
  expect(targets.of(object()).at).toBe('open');
  expect(targets.of(object('east'))).toEqual({ at: 'missing', cluster: 'east' });
});

test.each([
  ['opening before there is a connection', {}, undefined, 'opening'],
  ['opening before its first lists', {}, { known: false }, 'opening'],
  ['open then, also while it is away', {}, { isGivenUp: true }, 'open'],
  ['open while it is being deleted and answers', leaving, {}, 'open'],
  ['missing while it is being deleted, once its probes have failed for long', leaving, { isGivenUp: true }, 'missing'],
  ['opening while it is being deleted, and answers before its first lists', leaving, { known: false }, 'opening'],
])('a Cluster is %s', (_what, metadata, standing, at) => {
  const { pool: targets } = pool(cluster(metadata));
  if (standing) targets.add('herd/east', opened(standing).target);
  expect(targets.of(object('east')).at).toBe(at as never);
});

test.each<[what: string, reach: (targets: TargetPool) => unknown]>([
  ['in use', (targets) => targets.add('herd/east', opened().target)],
  ['not to be reached', (targets) => targets.setError('herd/east', 'no Secret')],
])(
  'hack/decisions/0028 R2: a Cluster that was %s, and is not shown any more, is missing only once it is gone for sure',
  (_, reach) => {
    const { pool: targets, clusters } = pool(cluster());
    reach(targets);
    clusters.reset([], '2');
    expect(targets.of(object('east'))).toMatchObject({
      at: 'opening',
      why: 'it is not listed any more, and whether it is gone is being found out',
    });
    targets.remove('herd/east');
    expect(targets.of(object('east')).at).toBe('missing');
  },
);

test('hack/decisions/0028 R2: no Cluster is missing before Clusters were listed', () => {
  const targets = new TargetPool({ clusters: new Cache<Cluster>(), clock: new FakeClock(BORN) });
  expect(targets.of(object('east'))).toMatchObject({ at: 'opening', why: 'the list of Clusters has not come yet' });
});

test('a Cluster that is being deleted is waited for for half a minute after the start', async () => {
  const { pool: targets, clock } = pool(cluster(leaving));
  expect(targets.of(object('east')).at).toBe('opening');
  await clock.advance(29_999);
  expect(targets.of(object('east')).at).toBe('opening');
  await clock.advance(1);
  expect(targets.of(object('east')).at).toBe('missing');
});

test('hack/decisions/0051 L8: that is told beforehand, for no event does; of one that lives, or is probed, nobody knows', () => {
  const { pool: targets, clock, clusters } = pool(cluster(leaving));
  expect(targets.of(object('east'))).toMatchObject({ missingFrom: clock.now() + 30_000 });
  targets.add('herd/east', opened({ known: false }).target);
  expect(targets.of(object('east'))).not.toHaveProperty('missingFrom');
  clusters.reset([cluster()], '2');
  targets.remove('herd/east');
  expect(targets.of(object('east'))).not.toHaveProperty('missingFrom');
});

test('why there is no way to a Cluster is told, and news once', () => {
  const { pool: targets } = pool(cluster());
  expect(targets.setError('herd/east', 'no Secret')).toBe(true);
  expect(targets.setError('herd/east', 'no Secret')).toBe(false);
  expect(targets.of(object('east'))).toEqual({ at: 'opening', cluster: 'east', why: 'no Secret', since: 0 });
});

test('who follows is told of what is there and of what comes; what is removed is closed', () => {
  const { pool: targets } = pool(cluster());
  const { target, isClosed } = opened();
  const told: string[] = [];
  targets.add('', opened().target);
  targets.follow((one) => told.push(one.cluster), new AbortController().signal);
  targets.add('herd/east', target);
  expect(told).toEqual(['', 'herd/east']);
  targets.remove('herd/east');
  expect(isClosed()).toBe(true);
  expect([...targets.entries()].map(([key]) => key)).toEqual(['']);
});
