import { expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import { reasonOf } from '../flow/flow.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { here } from './readiness.fixture.ts';
import { type ClusterFact, clusterFact, clusterReachable, clusterReachableOrGone, unpausedIn } from './readiness.ts';
import { oneTarget } from './target.fixture.ts';

const east = { ...here, name: 'east' };
const missing: ClusterFact = { ...east, at: 'missing' };
const opening: ClusterFact = { ...east, at: 'opening', why: 'no Secret', since: 0 };

test.each([
  ['without a target', { ...here, at: 'none' } as const, 'pass', 'pass'],
  ['with one that can be read', here, 'pass', 'pass'],
  ['with a Cluster that is missing', missing, 'ClusterNotFound', 'pass'],
  ['with a Cluster that cannot be read', opening, 'ClusterUnreachable', 'ClusterUnreachable'],
  [
    'with a Cluster that may have been paused',
    { ...east, unread: true } as const,
    'ClusterUnreachable',
    'ClusterUnreachable',
  ],
])('an object %s', (_what, fact, living, leaving) => {
  const said = [clusterReachable(fact), clusterReachableOrGone(fact, 0)].map((outcome) =>
    outcome.kind === 'pass' ? 'pass' : reasonOf({ step: 'ClusterReachable', outcome }),
  );
  expect(said).toEqual([living, leaving]);
});

test('the words name the Cluster and what is wrong', () => {
  expect(clusterReachable(opening)).toMatchObject({ message: 'Cluster "east" cannot be read: no Secret' });
  expect(clusterReachable({ ...opening, name: '' })).toMatchObject({
    message: 'the default target cannot be read: no Secret',
  });
});

test('a pause of the Cluster holds what names it; that of the object itself comes first', () => {
  const object = { metadata: { name: 'm' } };
  const annotated = { metadata: { name: 'm', annotations: { 'cluster.x-k8s.io/paused': '' } } };
  expect(unpausedIn(object, east).kind).toBe('pass');
  expect(unpausedIn(object, { ...east, paused: true })).toMatchObject({ reason: 'ClusterPaused' });
  expect(unpausedIn(annotated, { ...east, paused: true })).toMatchObject({ reason: 'Paused' });
});

test('hack/decisions/0051 L8: what leaves looks again at the moment from which its Cluster counts as missing', () => {
  expect(clusterReachableOrGone({ ...opening, missingFrom: 30_000 }, 12_000)).toMatchObject({
    kind: 'wait',
    ms: 18_000,
  });
  expect(clusterReachableOrGone(opening, 12_000)).toMatchObject({ kind: 'wait', ms: Infinity });
});

// hack/decisions/0051 L73: the right to Clusters is lost, and somebody pauses one, which nobody here can see.
test('Clusters that can be read no longer are told from those that are followed, and hold only what names one', async () => {
  const clock = new FakeClock();
  const clusters = new Cache<Cluster>();
  clusters.reset([], '1');
  const heardAt = clock.monotonic();
  clusters.fedBy({ heardAt, listedAt: heardAt, renew: () => {}, failed: () => {} });
  const object = (labels = {}) => ({ metadata: { name: 'm', namespace: 'herd', labels } });
  const named = object({ 'cluster.k8s.io/cluster-name': 'east' });
  const isUnread = (of: ReturnType<typeof object>) =>
    clusterFact({ targets: oneTarget(undefined), clusters, clock }, of).unread;
  expect(isUnread(named)).toBeUndefined();
  await clock.advance(100_001);
  expect([isUnread(named), isUnread(object())]).toEqual([true, undefined]);
});
