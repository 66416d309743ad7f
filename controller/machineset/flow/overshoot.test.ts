import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { at, BORN, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { here } from '../../model/readiness.fixture.ts';
import { plan } from './flow.ts';
import { freezeSynced, holdingOf, thawsIn } from './overshoot.ts';
import { view } from './view.fixture.ts';
import type { MachineSetView } from './view.ts';

type Changes = NonNullable<Parameters<typeof machineSet>[0]>;

const UNFREEZE = 'safety.machine.sapcloud.io/unfreeze';
const named = (name: string, changes: Parameters<typeof inPhase>[2] = {}, phase = 'Running'): Machine =>
  inPhase(phase, 0, { ...changes, metadata: { name, uid: `uid-${name}`, ...changes.metadata } });
const herd = (count: number): Machine[] => Array.from({ length: count }, (_, index) => named(`m${index}`));
const leaving = { metadata: { deletionTimestamp: at(50) } };
const frozen = (reason = 'OverShootingReplicaCount', since = 0) => ({
  type: 'Frozen',
  status: 'True',
  reason,
  lastTransitionTime: at(since),
});
/** A set of three machines that has counted `count` of them under its present spec. */
const counted = (count: number, changes: Changes = {}) =>
  machineSet({ ...changes, status: { holding: { machines: count, generation: 1 }, ...changes.status } });
const inRollout = {
  metadata: {
    annotations: { 'deployment.kubernetes.io/desired-replicas': '3', 'deployment.kubernetes.io/max-replicas': '5' },
  },
};

function told(facts: Partial<MachineSetView>): string {
  const outcome = freezeSynced(view(facts));
  return outcome.kind === 'act' ? outcome.reason : outcome.kind;
}

describe('a MachineSet of 3 (hack/decisions/0000 7, hack/spec/mcm.md 8.1)', () => {
  test.each<[string, Partial<MachineSetView>, string]>([
    ['with as many as --safety-up allows', { set: counted(3), machines: herd(5) }, 'pass'],
    ['with more than that', { set: counted(3), machines: herd(6) }, 'Freeze'],
    [
      'in a rollout with all of its surge (hack/spec/mcm.md 13.18)',
      { set: counted(3, inRollout), machines: herd(7) },
      'pass',
    ],
    ['in a rollout with more than its surge', { set: counted(3, inRollout), machines: herd(8) }, 'Freeze'],
    [
      'whose strategy is Recreate, which has no surge (hack/spec/mcm.md 8.1: it stops the freezes of all others)',
      {
        set: counted(3, {
          metadata: {
            annotations: {
              'deployment.kubernetes.io/desired-replicas': '3',
              'deployment.kubernetes.io/max-replicas': '3',
            },
          },
        }),
        machines: herd(6),
      },
      'Freeze',
    ],
    [
      'whose further machines are leaving (hack/spec/mcm.md 13.18: Terminating ones count)',
      { set: counted(3), machines: [...herd(3), ...['x', 'y', 'z'].map((name) => named(name, leaving))] },
      'pass',
    ],
    [
      'whose further machines lost their VMs',
      {
        set: counted(3),
        machines: [
          ...herd(3),
          ...['x', 'y', 'z'].map((name) => named(name, { status: { errorReason: 'VMNotFound' } }, 'Failed')),
        ],
      },
      'pass',
    ],
    [
      'whose further machines come from another set, updated in place (hack/spec/mcm.md 5.4)',
      {
        set: counted(3),
        machines: [
          ...herd(3),
          ...['x', 'y', 'z'].map((name) =>
            named(name, { metadata: { labels: { 'node.machine.sapcloud.io/update-result': 'successful' } } }),
          ),
        ],
      },
      'pass',
    ],
    [
      'with strays by owner reference',
      { set: counted(3), machines: herd(3), strays: [named('x'), named('y'), named('z')] },
      'Freeze',
    ],
    [
      'scaled down from 10 to 1 (hack/spec/mcm.md 13.18, #82)',
      { set: counted(10, { spec: { replicas: 1 } }), machines: herd(10) },
      'pass',
    ],
    [
      'scaled up and down so fast that it was not counted between',
      { set: counted(3, { metadata: { generation: 3 } }), machines: herd(10) },
      'pass',
    ],
    ['that was never counted, such as one restored from a backup', { machines: herd(10) }, 'pass'],
    ['that counts as many too many as before', { set: counted(8), machines: herd(8) }, 'pass'],
    [
      'frozen by somebody’s label',
      { set: counted(3, { metadata: { labels: { freeze: 'True' } } }), machines: herd(9) },
      'Freeze',
    ],
    [
      'frozen by somebody’s label and told so',
      {
        set: counted(3, {
          metadata: { labels: { freeze: 'True' } },
          status: { machineSetCondition: [frozen('FrozenByLabel')] },
        }),
        machines: herd(9),
      },
      'pass',
    ],
    [
      'whose label was taken off by the one who put it on',
      { set: counted(3, { status: { machineSetCondition: [frozen('FrozenByLabel')] } }), machines: herd(3) },
      'Unfreeze',
    ],
  ])('%s', (_what, facts, reason) => expect(told(facts)).toBe(reason));

  test('names the count and the limit', () => {
    expect(freezeSynced(view({ set: counted(3, inRollout), machines: herd(8) }))).toMatchObject({
      message:
        '8 machines hold a VM, or may: the most are 7 (3 replicas, 2 above in a rollout, 2 by --safety-up); none is made',
    });
  });

  test('counts the machines that stay, with the spec that they are counted under', () => {
    const machines = [...herd(2), named('x', leaving), named('y', {}, 'Terminating')];
    const set = machineSet({ metadata: { generation: 4 } });
    expect(holdingOf(view({ set, machines }))).toEqual({ machines: 2, generation: 4 });
  });

  test('remembers while it is paused what it had before, so that a rise is seen afterwards', () => {
    const set = counted(3, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    expect(holdingOf(view({ set, machines: herd(9) }))).toEqual({ machines: 3, generation: 1 });
  });

  test('remembers that while its Cluster is paused, too (hack/decisions/0051 S19a)', () => {
    const facts = { set: counted(3), machines: herd(9), cluster: { ...here, paused: true } };
    expect(holdingOf(view(facts))).toEqual({ machines: 3, generation: 1 });
  });
});

describe('a frozen MachineSet of 3', () => {
  const marked = { labels: { freeze: 'True' } };
  const cold = (changes: Changes = {}, since = 0) =>
    counted(6, { ...changes, status: { machineSetCondition: [frozen(undefined, since)] } });

  test.each<[string, Partial<MachineSetView>, string]>([
    ['gets the label', { set: cold(), machines: herd(6) }, 'AddFreezeLabel'],
    ['stays so above the limit less --safety-down', { set: cold({ metadata: marked }), machines: herd(5) }, 'pass'],
    ['stays so for the whole period', { set: cold({ metadata: marked }, 1), machines: herd(4) }, 'pass'],
    ['loses the label first', { set: cold({ metadata: marked }), machines: herd(4) }, 'RemoveFreezeLabel'],
    ['then the condition', { set: cold(), machines: herd(4) }, 'Unfreeze'],
    ['gets the label back if more machines come between', { set: cold(), machines: herd(5) }, 'AddFreezeLabel'],
    [
      'goes on when asked, however many machines there are (hack/spec/mcm.md 13.18, #250)',
      { set: cold({ metadata: { ...marked, annotations: { [UNFREEZE]: '' } } }, 30), machines: herd(9) },
      'RemoveFreezeLabel',
    ],
    ['tells so', { set: cold({ metadata: { annotations: { [UNFREEZE]: '' } } }, 30), machines: herd(9) }, 'Unfreeze'],
    [
      'forgets the wish once it has gone on',
      { set: counted(9, { metadata: { annotations: { [UNFREEZE]: '' } } }), machines: herd(9) },
      'RemoveUnfreezeAnnotation',
    ],
    [
      'goes on when asked, somebody’s label notwithstanding',
      { set: counted(3, { metadata: { ...marked, annotations: { [UNFREEZE]: 'true' } } }), machines: herd(3) },
      'RemoveFreezeLabel',
    ],
    [
      'that MCM froze goes on, too',
      { set: counted(3, { ...cold({ metadata: marked }) }), machines: herd(3) },
      'RemoveFreezeLabel',
    ],
  ])('%s', (_what, facts, reason) => expect(told(facts)).toBe(reason));

  test('is full again at its replicas, whatever --safety-down says', () => {
    const overshoot = { up: 0, down: 5, periodMs: 0 };
    expect(told({ set: cold(), machines: herd(3), overshoot })).toBe('Unfreeze');
    expect(told({ set: cold({ metadata: marked }), machines: herd(4), overshoot })).toBe('pass');
  });

  test('is looked at when its period is over', () => {
    expect(thawsIn(view({ set: cold({}, 20) }))).toBe(20_000);
    expect(thawsIn(view({ set: cold() }))).toBe(Infinity);
    expect(thawsIn(view({ now: BORN }))).toBe(Infinity);
  });

  test.each<[string, Partial<MachineSetView>, string]>([
    ['makes no machine, and says how many', { machines: herd(1) }, 'ScaledUp: frozen; machines that would be made: 2'],
    ['deletes Failed machines', { machines: [...herd(2), named('f', {}, 'Failed')] }, 'ScaledDown: DeleteMachines'],
    ['is scaled down', { machines: herd(5) }, 'ScaledDown: DeleteMachines'],
    ['takes machines in', { machines: herd(3), orphans: [named('o')] }, 'ChildrenAdopted: AdoptChildren'],
  ])('%s', (_what, facts, says) => {
    const { step, outcome } = plan(view({ set: cold({ metadata: marked }, 55), ...facts }));
    const text = 'message' in outcome && outcome.message ? outcome.message : 'reason' in outcome ? outcome.reason : '';
    expect(`${step}: ${text}`).toBe(says);
  });

  test('of a frozen deployment makes no machine, without being frozen itself', () => {
    expect(plan(view({ deploymentFrozen: true })).outcome).toMatchObject({ kind: 'wait', reason: 'Frozen' });
  });
});
