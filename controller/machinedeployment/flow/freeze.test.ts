import { describe, expect, test } from 'bun:test';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { at, machineDeployment } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { freezeSynced } from './freeze.ts';
import { setOf, view } from './view.fixture.ts';
import type { SetFact } from './view.ts';

type Changes = NonNullable<Parameters<typeof machineDeployment>[0]>;

const UNFREEZE = 'safety.machine.sapcloud.io/unfreeze';
const REVISION = 'deployment.kubernetes.io/revision';
const marked = { labels: { freeze: 'True' } };
const wish = { annotations: { [UNFREEZE]: 'yes' } };
const condition = (reason: string) => ({ type: 'Frozen', status: 'True', reason });
const pool = machineDeployment();
const told = (reason = 'MachineDeploymentStateSync') => ({ status: { conditions: [condition(reason)] } });

/** The set with the freeze of an overshoot, and with further metadata. */
function cold({ set, machines }: SetFact, metadata: object = marked): SetFact {
  const status = { machineSetCondition: [condition('OverShootingReplicaCount')] };
  return { set: { ...set, metadata: { ...set.metadata, ...metadata }, status }, machines };
}

const warm = setOf(pool, 'one', { wants: 3 });
const reasonOf = (deployment: MachineDeployment, sets: readonly SetFact[]): string => {
  const outcome = freezeSynced(view(deployment, sets));
  return outcome.kind === 'act' ? outcome.reason : outcome.kind;
};

describe('a MachineDeployment (hack/spec/mcm.md 8.1)', () => {
  test.each<[string, Changes, SetFact[], string]>([
    ['of sets that are not frozen', {}, [warm], 'pass'],
    ['of a frozen set', {}, [warm, cold(warm)], 'Freeze'],
    [
      'of a set that somebody froze',
      {},
      [{ ...warm, set: { ...warm.set, metadata: { ...warm.set.metadata, ...marked } } }],
      'Freeze',
    ],
    ['of a frozen set that leaves', {}, [cold(warm, { ...marked, deletionTimestamp: at(9) })], 'pass'],
    ['told to be frozen', told(), [cold(warm)], 'AddFreezeLabel'],
    ['frozen and marked', { ...told(), metadata: marked }, [cold(warm)], 'pass'],
    ['frozen by MCM', { ...told('OverShootingReplicaCount'), metadata: marked }, [cold(warm)], 'pass'],
    ['whose sets went on', { ...told(), metadata: marked }, [warm], 'RemoveFreezeLabel'],
    ['whose sets went on, unmarked', told(), [warm], 'Unfreeze'],
    ['that somebody froze', { metadata: marked }, [warm], 'Freeze'],
    ['that somebody froze, and told so', { ...told('FrozenByLabel'), metadata: marked }, [warm], 'pass'],
    ['that somebody froze, and let go', told('FrozenByLabel'), [warm], 'Unfreeze'],
    ['asked to go on', { ...told(), metadata: { ...marked, ...wish } }, [cold(warm)], 'UnfreezeMachineSet'],
    [
      'asked to go on, whose set was asked (hack/spec/mcm.md 13.18, #250)',
      { ...told(), metadata: { ...marked, ...wish } },
      [cold(warm, { ...marked, ...wish })],
      'pass',
    ],
    [
      'asked to go on, whose sets went on',
      { ...told(), metadata: { ...marked, ...wish } },
      [warm],
      'RemoveFreezeLabel',
    ],
    ['asked to go on that goes on', { metadata: wish }, [warm], 'RemoveUnfreezeAnnotation'],
  ])('%s', (_what, changes, sets, reason) => expect(reasonOf(machineDeployment(changes), sets)).toBe(reason));

  test('passes the wish on as it is', () => {
    expect(freezeSynced(view(machineDeployment({ metadata: wish }), [cold(warm)]))).toMatchObject({
      action: { do: 'patchSet', patch: { metadata: wish } },
    });
  });
});

describe('a frozen MachineDeployment', () => {
  const revised = { annotations: { [REVISION]: '1' } };
  const frozen = (spec: object = {}) =>
    machineDeployment({ ...told('FrozenByLabel'), metadata: { ...marked, ...revised }, spec } as Changes);
  const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
  const fresh = (size: Parameters<typeof setOf>[2]): SetFact => setOf(pool, 'new', size);
  const old = (size: Parameters<typeof setOf>[2]): SetFact => {
    const { set, machines } = setOf(older, 'old', size);
    const annotations = { ...set.metadata.annotations, [REVISION]: '0' };
    return { set: { ...set, metadata: { ...set.metadata, annotations } }, machines };
  };
  const judge = (deployment: MachineDeployment, sets: readonly SetFact[]): string => {
    const { step, outcome } = plan(view(deployment, sets));
    return `${step} ${'reason' in outcome ? outcome.reason : outcome.kind}`;
  };

  test.each<[string, MachineDeployment, SetFact[], string]>([
    ['makes no set', frozen(), [old({ wants: 3 })], 'NewMachineSetFound Frozen'],
    [
      'makes no set for a Recreate',
      frozen({ strategy: { type: 'Recreate' } }),
      [old({ wants: 3 })],
      'NewMachineSetFound Frozen',
    ],
    ['makes no first set', frozen(), [], 'NewMachineSetFound Frozen'],
    [
      'grows no new set (hack/spec/mcm.md 13.18: frozen, it still rolls)',
      frozen(),
      [old({ wants: 3 }), fresh({ wants: 0 })],
      'RolloutComplete Frozen',
    ],
    ['shrinks no old set', frozen(), [old({ wants: 3 }), fresh({ wants: 1 })], 'RolloutComplete Frozen'],
    [
      'updates nothing in place',
      frozen({ strategy: { type: 'InPlaceUpdate' } }),
      [old({ wants: 3 }), fresh({ wants: 0 })],
      'RolloutComplete Frozen',
    ],
    ['is not scaled up', frozen({ replicas: 5 }), [fresh({ wants: 3, scaledFor: [3, 4] })], 'RolloutComplete Frozen'],
    ['is scaled down', frozen({ replicas: 2 }), [fresh({ wants: 3, scaledFor: [3, 4] })], 'Scaled Scale'],
    [
      'waits for machines as before',
      frozen(),
      [old({ wants: 2 }), fresh({ wants: 2, available: 0 })],
      'RolloutComplete RolloutInProgress',
    ],
    ['settles', frozen(), [fresh({ wants: 3 })], 'Reconciled pass'],
  ])('%s', (_what, deployment, sets, judgement) => expect(judge(deployment, sets)).toBe(judgement));

  test('says what waits', () => {
    const { outcome } = plan(view(frozen(), [old({ wants: 3 }), fresh({ wants: 0 })]));
    expect(outcome).toMatchObject({ message: 'frozen, so this waits: The newest set gets more machines.' });
  });
});
