import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../../schemas/keys.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { at, machineDeployment, machineSet } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { setOf, view } from './view.fixture.ts';
import type { MachineDeploymentView, SetFact } from './view.ts';

const revised = { metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } } };
const pool = machineDeployment(revised);
const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
const first = (fact: SetFact): SetFact => {
  const annotations = { ...fact.set.metadata.annotations, 'deployment.kubernetes.io/revision': '0' };
  return { ...fact, set: { ...fact.set, metadata: { ...fact.set.metadata, annotations } } };
};
const fresh = (wants: number, available = wants) => setOf(pool, 'new', { wants, available });
const old = (wants: number, available = wants) => first(setOf(older, 'old', { wants, available }));

const judge = (seen: MachineDeploymentView): string => {
  const { step, outcome } = plan(seen);
  if (outcome.kind !== 'act')
    return [step, outcome.kind, 'reason' in outcome ? outcome.reason : ''].filter(Boolean).join(' ');
  const { action } = outcome;
  if (action.do === 'scale')
    return `${step} scale ${action.scalings.map(({ set, replicas }) => `${set.metadata.name}=${replicas}`).join(' ')}`;
  if (action.do === 'createSet') return `${step} createSet ${action.set.spec?.replicas}`;
  if ('sets' in action) return `${step} ${action.do} ${action.sets.map(({ metadata }) => metadata.name).join(' ')}`;
  return `${step} ${action.do}`;
};

const stopped = (fact: SetFact): SetFact => {
  const labels = { ...fact.set.metadata.labels, 'node.machine.sapcloud.io/scale-up-disabled': 'true' };
  return { ...fact, set: { ...fact.set, metadata: { ...fact.set.metadata, labels } } };
};
const paused = machineDeployment({ ...revised, spec: { paused: true } });
/** A set as somebody made it by hand: no hash tells its machines from others. */
const byHand = (fact: SetFact): SetFact => {
  const { set } = fact;
  const { 'machine-template-hash': _hash, ...labels } = set.metadata.labels ?? {};
  const template = { ...set.spec?.template, metadata: { labels: { pool: 'a' } } };
  const spec = { ...set.spec, selector: { matchLabels: { pool: 'a' } }, template };
  return { ...fact, set: { ...set, metadata: { ...set.metadata, labels }, spec } };
};
const recreate = machineDeployment({ ...revised, spec: { strategy: { type: 'Recreate' } } });
const pausedRecreate = machineDeployment({ ...revised, spec: { paused: true, strategy: { type: 'Recreate' } } });
const noSurge = machineDeployment({
  ...revised,
  spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 3 } } },
});
const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } };
const still = machineDeployment({ ...revised, spec: { strategy } });
const stillOlder = machineDeployment({ spec: { template: older.spec.template, strategy } });
/** A rollout that may have no machine more or less, with so many in the old set. */
const stillAt = (wants: number) =>
  view(still, [first(setOf(stillOlder, 'old', { wants })), setOf(still, 'new', { wants: 0 })]);
const inPlace = machineDeployment({ ...revised, spec: { strategy: { type: 'InPlaceUpdate' } } });
const noHistory = machineDeployment({ ...revised, spec: { revisionHistoryLimit: 0 } });
const other = (wants: number) =>
  setOf(machineDeployment({ spec: { template: { spec: { class: { name: 'other' } } } } }), 'other', { wants });
const sized = (deployment: MachineDeployment, replicas: number) => ({
  ...deployment,
  spec: { ...deployment.spec, replicas },
});
const pausedAt = (replicas: number) => sized(paused, replicas);
const pausedWithoutHistory = machineDeployment({ ...revised, spec: { paused: true, revisionHistoryLimit: 0 } });
const frozenAt = (replicas: number) =>
  machineDeployment({
    metadata: { ...revised.metadata, labels: { freeze: 'True' } },
    spec: { replicas },
    status: { conditions: [{ type: 'Frozen', status: 'True', reason: 'FrozenByLabel' }] },
  });
const invalidAt = (replicas: number) => {
  const spec = { class: { name: 'new' }, taints: [{ key: '-', effect: 'NoSchedule' as const }] };
  return machineDeployment({ ...revised, spec: { replicas, template: { spec } } });
};
const retaining = (deployment: MachineDeployment): MachineDeployment => {
  const { template } = deployment.spec;
  const kept = { ...template, spec: { ...template.spec, deletionPolicy: 'Retain' as const } };
  return { ...deployment, spec: { ...deployment.spec, template: kept } };
};
const orphaning = machineDeployment({ metadata: { deletionTimestamp: at(50), finalizers: ['orphan', FINALIZER] } });
const leaving = machineDeployment({ metadata: { deletionTimestamp: at(50) } });

describe('a MachineDeployment', () => {
  test.each([
    [
      'that is paused by annotation',
      view(machineDeployment({ metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }), []),
      'Paused wait Paused',
    ],
    [
      'without its finalizer',
      view(machineDeployment({ metadata: { finalizers: [] } }), []),
      'FinalizerAdded addFinalizer',
    ],
    [
      'that selects everything',
      view(machineDeployment({ spec: { selector: { matchLabels: undefined } } }), []),
      'SelectorValid fail SelectorEmpty',
    ],
    [
      'with a set that it no longer selects',
      { ...view(pool, []), strays: [machineSet()] },
      'ChildrenReleased release set',
    ],
    [
      'beside a set that nobody controls, before it makes any (hack/spec/cluster-api.md F2 14)',
      { ...view(pool, []), orphans: [machineSet()] },
      'ChildrenAdopted adopt set',
    ],
    ['without sets', view(pool, []), 'NewMachineSetFound createSet 3'],
    ['with a set of an old template', view(pool, [old(3)]), 'NewMachineSetFound createSet 1'],
    ['without sets that is paused', view(paused, []), 'RolloutNotPaused wait DeploymentPaused'],
    ['with the set that it wants', view(pool, [fresh(3)]), 'Reconciled pass'],
    ['whose machines come up', view(pool, [fresh(3, 0)]), 'Reconciled pass'],
    ['that does not record its revision', view(machineDeployment(), [fresh(3)]), 'NewMachineSetSynced recordRevision'],
    [
      'whose machine settings changed',
      view(machineDeployment({ ...revised, spec: { template: { spec: { drainTimeout: '1h' } } } }), [fresh(3)]),
      'NewMachineSetSynced patchSet',
    ],
    // hack/decisions/0051 S11, C1
    ['that is to keep its VMs', view(retaining(pool), [fresh(3)]), 'TemplatePropagated patchSet'],
    ['that is to keep its VMs, also those of old sets', view(retaining(pool), [old(3)]), 'TemplatePropagated patchSet'],
    ['that is to keep its VMs while it is paused', view(retaining(paused), [old(3)]), 'TemplatePropagated patchSet'],
    [
      'that is to keep its VMs while they are recreated',
      view(retaining(recreate), [old(0, 2)]),
      'TemplatePropagated patchSet',
    ],
    [
      'whose new set is older than an old one',
      view(pool, [fresh(3), setOf(older, 'old', { wants: 0 })]),
      'NewMachineSetSynced patchSet',
    ],
    [
      'that was scaled up',
      view(machineDeployment({ ...revised, spec: { replicas: 5 } }), [fresh(3)]),
      'Scaled scale new=5',
    ],
    [
      'that was scaled to nothing',
      view(machineDeployment({ ...revised, spec: { replicas: 0 } }), [fresh(3)]),
      'Scaled scale new=0',
    ],
    [
      'that was scaled while paused',
      view(machineDeployment({ ...revised, spec: { paused: true, replicas: 5 } }), [fresh(3)]),
      'Scaled scale new=5',
    ],
    // hack/decisions/0051 S4
    ['that is paused, edited and scaled', view(pausedAt(5), [old(3)]), 'Scaled scale old=5'],
    [
      'that is paused in a rollout, edited and scaled',
      view(pausedAt(5), [old(2), other(1)]),
      'Scaled scale old=2 other=4',
    ],
    [
      'that is paused, edited and as large as it should be',
      view(pausedAt(3), [old(3)]),
      'RolloutNotPaused wait DeploymentPaused',
    ],
    [
      'that is paused and keeps no history',
      view(pausedWithoutHistory, [other(0), old(3)]),
      'RolloutNotPaused deleteSets other',
    ],
    [
      'that is paused and is to go back in history',
      view({ ...pausedWithoutHistory, spec: { ...pausedWithoutHistory.spec, rollbackTo: {} } }, [other(0), old(3)]),
      'RolloutNotPaused wait DeploymentPaused',
    ],
    // hack/decisions/0051 S15
    ['that is frozen, edited and scaled down', view(frozenAt(1), [old(3)]), 'NewMachineSetFound scale old=1'],
    ['that is frozen, edited and scaled up', view(frozenAt(5), [old(3)]), 'NewMachineSetFound wait Frozen'],
    [
      'whose template is invalid, and that is scaled down',
      view(invalidAt(1), [old(3)]),
      'NewMachineSetFound scale old=1',
    ],
    [
      'whose template is invalid, and that is scaled up',
      view(invalidAt(5), [old(3)]),
      'NewMachineSetFound fail SpecInvalid',
    ],
    [
      'that recreates, and is scaled meanwhile',
      view(sized(recreate, 5), [old(0, 2)]),
      'NewMachineSetFound wait OldMachinesTerminating',
    ],
    ['that rolls and may grow', view(pool, [old(2), fresh(1)]), 'RolloutComplete scale new=2'],
    ['that rolls and waits', view(pool, [old(3), fresh(1, 0)]), 'RolloutComplete wait RolloutInProgress'],
    ['that rolls and may shrink', view(pool, [old(3), fresh(1)]), 'RolloutComplete scale old=2'],
    ['that rolls and is paused', view(paused, [old(3), fresh(1)]), 'RolloutNotPaused wait DeploymentPaused'],
    ['that has rolled out', view(pool, [old(0), fresh(3)]), 'Reconciled pass'],
    ['that keeps no history', view(noHistory, [old(0), fresh(3)]), 'HistoryCleanedUp deleteSets old'],
    // hack/decisions/0051 S19b
    [
      'that keeps no history, and has something to go back to',
      view(noHistory, [old(0), fresh(3, 2)]),
      'Reconciled pass',
    ],
    ['that keeps no history of empty sets only', view(noHistory, [old(0, 1), fresh(3)]), 'Reconciled pass'],
    ['that recreates', view(recreate, [old(3)]), 'NewMachineSetFound scale old=0'],
    ['that recreates and waits', view(recreate, [old(0, 2)]), 'NewMachineSetFound wait OldMachinesTerminating'],
    ['that recreates once all are gone', view(recreate, [old(0)]), 'NewMachineSetFound createSet 3'],
    [
      'that recreates, and once asked for one that may still come (hack/decisions/0051 S20)',
      view(recreate, [{ ...old(0), births: 1 }]),
      'NewMachineSetFound wait OldMachinesTerminating',
    ],
    [
      'that recreates back to a set that exists, the same',
      view(recreate, [{ ...old(0), births: 1 }, fresh(0)]),
      'RolloutComplete wait OldMachinesTerminating',
    ],
    [
      'that keeps no history, and has such a set',
      view(noHistory, [{ ...old(0), births: 1 }, fresh(3)]),
      'Reconciled pass',
    ],
    ['that has recreated', view(recreate, [old(0), setOf(recreate, 'new', { wants: 3 })]), 'Reconciled pass'],
    // hack/decisions/0051 S3: each of these two was scaled up beside machines that were leaving.
    [
      'that recreates back to a set that exists',
      view(recreate, [old(0, 3), fresh(0)]),
      'RolloutComplete wait OldMachinesTerminating',
    ],
    // hack/decisions/0051 U12
    ['that may have no machine more or less, as in MCM', stillAt(3), 'RolloutComplete scale old=2'],
    ['of it once one is gone', stillAt(2), 'RolloutComplete scale new=1'],
    ['that may have no machine more', view(noSurge, [old(0, 3), fresh(0)]), 'RolloutComplete wait RolloutInProgress'],
    [
      'that may have no machine more, once one is gone',
      view(noSurge, [old(0, 2), fresh(0)]),
      'RolloutComplete scale new=1',
    ],
    [
      'that is paused while its machines leave (hack/spec/mcm.md 4.6)',
      view(paused, [old(0, 3), fresh(0)]),
      'Scaled scale new=3',
    ],
    [
      'that recreates and is paused',
      view(pausedRecreate, [old(0, 3), fresh(0)]),
      'RolloutNotPaused wait DeploymentPaused',
    ],
    // hack/decisions/0051 S13
    ['whose surge was lowered or raised', view(recreate, [old(0), fresh(3)]), 'Scaled scale new=3'],
    ['that is to be updated in place', view(inPlace, [old(3), fresh(0)]), 'RolloutComplete patchSet'],
    [
      'whose new set was left behind by an update in place',
      view(inPlace, [stopped(fresh(3))]),
      'NewMachineSetSynced patchSet',
    ],
    ['to be updated in place that is new', view(inPlace, [fresh(3)]), 'Reconciled pass'],
    // hack/decisions/0051 U18, hack/decisions/0059
    ['whose set was made by hand, and stays as it is', view(pool, [byHand(fresh(3))]), 'Reconciled pass'],
    ['whose old set was made by hand', view(pool, [byHand(old(3)), fresh(1)]), 'RolloutComplete scale old=2'],
    // hack/decisions/0051 L16
    ['that is deleted with --cascade=orphan', view(orphaning, [fresh(3)]), 'ChildrenOrphaned removeFinalizer'],
    [
      'that is deleted while paused',
      view(
        machineDeployment({
          metadata: { deletionTimestamp: at(50), annotations: { 'cluster.x-k8s.io/paused': '' } },
        }),
        [fresh(3)],
      ),
      'Paused wait Paused',
    ],
    ['that is deleted with sets', view(leaving, [fresh(3)]), 'ChildrenDeleted deleteSets new'],
    [
      'that is deleted while they leave',
      view(leaving, [{ set: machineSet({ metadata: { deletionTimestamp: at(50) } }), machines: [] }]),
      'ChildrenDeleted wait MachineSetsTerminating',
    ],
    ['that is deleted and empty', view(leaving, []), 'FinalizerRemoved removeFinalizer'],
  ] as const)('%s', (_what, seen, judgement) => expect(judge(seen)).toBe(judgement));
});
