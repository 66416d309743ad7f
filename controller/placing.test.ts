import { expect, test } from 'bun:test';
import { reasonOf } from './flow.ts';
import { here } from './placing.fixture.ts';
import { type ClusterFact, placed, placedOrGone, unpausedIn } from './placing.ts';

const east = { ...here, name: 'east' };
const missing: ClusterFact = { ...east, at: 'missing' };
const opening: ClusterFact = { ...east, at: 'opening', why: 'no Secret', since: 0 };

test.each([
  ['without a target', { ...here, at: 'none' } as const, 'pass', 'pass'],
  ['with one that can be read', here, 'pass', 'pass'],
  ['with a Cluster that is missing', missing, 'ClusterMissing', 'pass'],
  ['with a Cluster that cannot be read', opening, 'ClusterUnreachable', 'ClusterUnreachable'],
])('an object %s', (_what, fact, living, leaving) => {
  const said = [placed(fact), placedOrGone(fact, 0)].map((outcome) =>
    outcome.kind === 'pass' ? 'pass' : reasonOf({ step: 'Placed', outcome }),
  );
  expect(said).toEqual([living, leaving]);
});

test('the words name the Cluster and what is wrong', () => {
  expect(placed(opening)).toMatchObject({ message: 'Cluster "east" cannot be read: no Secret' });
  expect(placed({ ...opening, name: '' })).toMatchObject({ message: 'the default target cannot be read: no Secret' });
});

test('a pause of the Cluster holds what names it; that of the object itself comes first', () => {
  const object = { metadata: { name: 'm' } };
  const annotated = { metadata: { name: 'm', annotations: { 'cluster.x-k8s.io/paused': '' } } };
  expect(unpausedIn(object, east).kind).toBe('pass');
  expect(unpausedIn(object, { ...east, paused: true })).toMatchObject({ reason: 'ClusterPaused' });
  expect(unpausedIn(annotated, { ...east, paused: true })).toMatchObject({ reason: 'Paused' });
});

test('hack/decisions/0051 L8: what leaves looks again at the moment from which its Cluster counts as missing', () => {
  expect(placedOrGone({ ...opening, missingFrom: 30_000 }, 12_000)).toMatchObject({ kind: 'wait', ms: 18_000 });
  expect(placedOrGone(opening, 12_000)).toMatchObject({ kind: 'wait', ms: Infinity });
});
