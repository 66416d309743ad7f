import { expect, test } from 'bun:test';
import {
  ANNOTATION_CLUSTERAPI_REVISION,
  ANNOTATION_MARKED,
  ANNOTATION_MAX,
  ANNOTATION_PRIORITY,
} from '../../../schemas/keys.ts';
import { at, BORN, inPhase, machineDeployment } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { inPlaceView, updatedInPlace, waiting } from './inplaceupdate.fixture.ts';
import { selection } from './inplaceupdate.ts';
import { syncPatch } from './revision.ts';
import { shrinkOldSets } from './rollout.ts';
import { victimsMarked } from './scaledown.ts';
import { planScaling } from './scaling.ts';
import { setOf, view } from './view.fixture.ts';
import { numbersOf, type SetFact } from './view.ts';

// Each of these passes, and fails under a change of one line that no test beside it, nor test/planners, found before.

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const ofClass = (name: string) => machineDeployment({ spec: { template: { spec: { class: { name } } } } });
const noting = (fact: SetFact, annotations: Record<string, string>): SetFact => {
  const { set } = fact;
  const all = { ...set.metadata.annotations, ...annotations };
  return { ...fact, set: { ...set, metadata: { ...set.metadata, annotations: all } } };
};

// flow.ts historyCleanedUp: the newest of the old sets deleted in place of the oldest
test('of history the oldest sets go (hack/spec/mcm.md 4.7)', () => {
  const pool = machineDeployment({ metadata: { annotations: { [REVISION]: '3' } }, spec: { revisionHistoryLimit: 1 } });
  const [oldest, old, fresh] = [
    noting(setOf(ofClass('a'), 'oldest', { wants: 0 }), { [REVISION]: '1' }),
    noting(setOf(ofClass('b'), 'old', { wants: 0 }), { [REVISION]: '2' }),
    noting(setOf(pool, 'new', { wants: 3 }), { [REVISION]: '3', [ANNOTATION_CLUSTERAPI_REVISION]: '3' }),
  ] as const;
  const { outcome } = plan(view(pool, [oldest, old, fresh]));
  expect(outcome).toMatchObject({ action: { do: 'deleteSets', sets: [{ metadata: { name: 'oldest' } }] } });
});

// revision.ts revisionAnnotations: what stood in the history before is dropped
test('the history of a set keeps all of its revisions (hack/spec/mcm.md 4.4)', () => {
  const pool = machineDeployment();
  const again = noting(setOf(pool, 'new', { wants: 0 }), { [REVISION]: '4', [HISTORY]: '1,3' });
  const other = noting(setOf(ofClass('b'), 'old', { wants: 3 }), { [REVISION]: '6' });
  expect(syncPatch(pool, again, [other])).toMatchObject({
    metadata: { annotations: { [REVISION]: '7', [HISTORY]: '1,3,4' } },
  });
});

// scaling.ts shareOf: `before ||` taken out
test('sets that nothing tells for which size they were made shrink by what the status tells (hack/spec/mcm.md 4.6)', () => {
  const pool = machineDeployment({ spec: { replicas: 4 }, status: { replicas: 12 } });
  const bare = (fact: SetFact): SetFact => {
    const { [ANNOTATION_MAX]: _, ...annotations } = fact.set.metadata.annotations ?? {};
    return { ...fact, set: { ...fact.set, metadata: { ...fact.set.metadata, annotations } } };
  };
  const sized = { deployment: pool, numbers: numbersOf(pool), now: BORN + 60_000 };
  const old = bare(setOf(ofClass('b'), 'old', { wants: 6, scaledFor: [11, 12] }));
  const fresh = bare(setOf(pool, 'new', { wants: 6, scaledFor: [11, 12] }));
  const sizes = planScaling({ ...sized, oldSets: [old], newSet: fresh }).map(({ replicas }) => replicas);
  expect(sizes.toSorted()).toEqual([2, 3]);
});

// rollout.ts shrinkOldSets: `Math.max(0, newMissing)` as `newMissing`
test('a new set that has more than it wants frees no place of old ones', () => {
  const pool = machineDeployment({
    spec: { replicas: 3, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  });
  const fresh = setOf(pool, 'new', { wants: 1, available: 2 });
  const old = setOf(ofClass('b'), 'old', { wants: 2, available: 0, others: 2 });
  const seen = { now: BORN + 60_000, numbers: numbersOf(pool), newSet: fresh, oldSets: [old] };
  expect(shrinkOldSets(seen)).toEqual([]);
});

// scaledown.ts markOf: the time of an earlier wish overwritten
test('a machine that was marked before keeps that time (hack/spec/mcm.md 4.11)', () => {
  const [before, now] = [at(10), at(20)];
  const trigger = { 'node.machine.sapcloud.io/trigger-deletion-by-mcm': `a~${now}` };
  const deployment = machineDeployment({ metadata: { annotations: trigger } });
  const annotations = { [ANNOTATION_PRIORITY]: '3', [ANNOTATION_MARKED]: before };
  const { set } = setOf(deployment, 'set', { wants: 1 });
  const machines = [inPhase('Running', 0, { metadata: { name: 'a', annotations } })];
  expect(victimsMarked(view(deployment, [{ set, machines }]))).toMatchObject({
    action: { marks: [{ annotations: { [ANNOTATION_PRIORITY]: '1', [ANNOTATION_MARKED]: before } }] },
  });
});

// inplaceupdate.ts selection: Nodes that are no candidates selected as well
test('a Node that refused to be a candidate is not selected', () => {
  const stands = { ...waiting, candidate: false };
  const chosen = selection(
    inPlaceView(updatedInPlace(2), { machines: [] }, { machines: [stands, waiting], stopped: true }),
  );
  expect(chosen.map(({ machine }) => machine.metadata.name)).toEqual(['old-1']);
});
