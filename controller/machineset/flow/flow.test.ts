import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { at, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { refusalOf } from '../../flow/refusals.ts';
import { liveSteps, plan } from './flow.ts';
import { statusOf } from './status.ts';
import { view } from './view.fixture.ts';
import type { MachineSetView } from './view.ts';

const named = (name: string, phase = 'Running', changes: Parameters<typeof inPhase>[2] = {}): Machine =>
  inPhase(phase, 0, { ...changes, metadata: { name, uid: `uid-${name}`, ...changes.metadata } });

const RESULT = 'node.machine.sapcloud.io/update-result';
const lost = named('a', 'Failed');
const three = [named('a'), named('b'), named('c')];
const leaving = { metadata: { deletionTimestamp: at(50) } };
const orphaning = { metadata: { ...leaving.metadata, finalizers: ['orphan', FINALIZER] } };
const frozen = {
  metadata: { labels: { freeze: 'True' } },
  status: { machineSetCondition: [{ type: 'Frozen', status: 'True', reason: 'FrozenByLabel' }] },
};
const judge = (facts: Partial<MachineSetView>): string => {
  const { step, outcome } = plan(view(facts));
  if (outcome.kind !== 'act')
    return [step, outcome.kind, 'reason' in outcome ? outcome.reason : ''].filter(Boolean).join(' ');
  const { action } = outcome;
  if (action.do === 'create') return `${step} create ${action.names.length}`;
  const about = 'machines' in action ? action.machines.map(({ metadata }) => metadata.name) : [];
  return [step, action.do, ...about].join(' ');
};

const tooMany = Array.from({ length: 101 }, (_, at) => ({ key: `x-${at}`, operator: 'DoesNotExist' as const }));

describe('a MachineSet', () => {
  const rows: Array<[string, Partial<MachineSetView>, string]> = [
    [
      'that is paused',
      { set: machineSet({ metadata: { annotations: { 'cluster.x-k8s.io/paused': 'true' } } }) },
      'Paused wait Paused',
    ],
    // hack/decisions/0051 L16
    [
      'deleted with --cascade=orphan',
      { set: machineSet(orphaning), machines: three },
      'ChildrenOrphaned removeFinalizer',
    ],
    ['without its finalizer', { set: machineSet({ metadata: { finalizers: [] } }) }, 'FinalizerAdded addFinalizer'],
    [
      'that selects everything',
      { set: machineSet({ spec: { selector: { matchLabels: undefined } } }) },
      'SelectorValid fail SelectorEmpty',
    ],
    [
      'whose template it does not select (hack/spec/cluster-api.md F2 10)',
      { set: machineSet({ spec: { selector: { matchLabels: { pool: 'b' } } } }) },
      'SelectorValid fail SelectorMismatch',
    ],
    [
      'whose selector is too large (hack/decisions/0028 T4)',
      { set: machineSet({ spec: { selector: { matchExpressions: tooMany } } }) },
      'SelectorValid fail SelectorInvalid',
    ],
    [
      'with a machine that it no longer selects (hack/spec/cluster-api.md F2 11)',
      { machines: three, strays: [named('s')] },
      'ChildrenReleased release s',
    ],
    [
      'beside a machine that nobody controls, before it makes any (hack/spec/cluster-api.md F2 14)',
      { orphans: [named('o')] },
      'ChildrenAdopted adopt o',
    ],
    [
      'whose machines may not be adopted: none is made in their place (hack/decisions/0051 S6)',
      { orphans: three, refused: new Set(three.map((one) => refusalOf('adopt', one))) },
      'ScaledUp wait WaitingForAdoption',
    ],
    [
      'of which one may not be adopted: it counts',
      { orphans: three.slice(1), refused: new Set(three.map((one) => refusalOf('adopt', one))) },
      'ScaledUp create 1',
    ],
    [
      'whose machines’ settings are old',
      { set: machineSet({ spec: { template: { spec: { drainTimeout: '1h' } } } }), machines: three },
      'TemplatePropagated propagate a b c',
    ],
    ['without machines', {}, 'ScaledUp create 3'],
    ['with one too few', { machines: three.slice(1) }, 'ScaledUp create 1'],
    ['with as many as it wants', { machines: three }, 'Reconciled pass'],
    ['with one too many', { machines: [...three, named('d', 'Pending')] }, 'ScaledDown delete d'],
    ['with a Failed one', { machines: [named('a', 'Failed'), ...three.slice(1)] }, 'ScaledDown delete a'],
    [
      'with a Failed one that is kept',
      {
        machines: [
          named('a', 'Failed', { status: { currentStatus: { preserveExpiryTime: at(3_600) } } }),
          ...three.slice(1),
        ],
      },
      'Reconciled pass',
    ],
    [
      'with a Failed one that is to be kept before it could be deleted',
      {
        machines: [lost, ...three.slice(1)],
        preserving: { most: 1, counted: [], candidates: [lost], wished: new Set() },
      },
      'AutoPreserved annotate a',
    ],
    [
      'with one that has just come from another set (hack/spec/mcm.md 5.4)',
      { machines: [...three, named('d', 'Running', { metadata: { labels: { [RESULT]: 'successful' } } })] },
      'Reconciled pass',
    ],
    [
      'that makes no machines, for they are updated in place',
      {
        set: machineSet({ metadata: { labels: { 'node.machine.sapcloud.io/scale-up-disabled': 'true' } } }),
        machines: three.slice(1),
      },
      'ScaledUp wait ScaleUpDisabled',
    ],
    ['with one that leaves', { machines: [named('a', 'Running', leaving), ...three.slice(1)] }, 'ScaledUp create 1'],
    [
      'with two that leave and hold their VMs',
      { machines: [named('a', 'Running', leaving), named('b', 'Running', leaving), named('c')] },
      'ScaledUp create 1',
    ],
    [
      'with all leaving',
      { machines: three.map(({ metadata: { name } }) => named(name, 'Running', leaving)) },
      'ScaledUp create 1',
    ],
    [
      'that may have no more VMs',
      {
        set: machineSet({ metadata: { annotations: { 'deployment.kubernetes.io/max-replicas': '3' } } }),
        machines: [named('a', 'Running', leaving), ...three.slice(1)],
      },
      'ScaledUp wait WaitingForVMsToGo',
    ],
    [
      'whose lost machine holds no VM',
      {
        set: machineSet({ metadata: { annotations: { 'deployment.kubernetes.io/max-replicas': '3' } } }),
        machines: [named('a', 'Failed', { ...leaving, status: { errorReason: 'VMNotFound' } }), ...three.slice(1)],
      },
      'ScaledUp create 1',
    ],
    [
      'with strays that hold VMs',
      {
        set: machineSet({ metadata: { annotations: { 'deployment.kubernetes.io/max-replicas': '3' } } }),
        machines: three.slice(1),
        strays: [],
      },
      'ScaledUp create 1',
    ],
    ['that somebody froze by label', { set: machineSet({ metadata: frozen.metadata }) }, 'FreezeSynced tellFreeze'],
    ['that is frozen and full', { set: machineSet(frozen), machines: three }, 'Reconciled pass'],
    ['that is frozen and wants more', { set: machineSet(frozen) }, 'ScaledUp wait Frozen'],
    [
      'that is frozen and wants fewer',
      { set: machineSet({ ...frozen, spec: { replicas: 2 } }), machines: three },
      'ScaledDown delete a',
    ],
    [
      'whose machines failed again and again (hack/spec/cluster-api.md F4 21)',
      { set: machineSet({ status: { creationBackOff: { failures: 2, lastFailureTime: at(60), generation: 1 } } }) },
      'ScaledUp wait BackOff',
    ],
    ['that wants very many', { set: machineSet({ spec: { replicas: 1000 } }) }, 'ScaledUp create 100'],
    [
      'that is deleted while paused',
      {
        set: machineSet({ metadata: { ...leaving.metadata, annotations: { 'cluster.x-k8s.io/paused': '' } } }),
        machines: three,
      },
      'Paused wait Paused',
    ],
    [
      'that is deleted with machines',
      { set: machineSet(leaving), machines: three, strays: [named('s')] },
      'ChildrenDeleted delete a b c s',
    ],
    [
      'that is deleted while they leave',
      { set: machineSet(leaving), machines: [named('a', 'Running', leaving)] },
      'ChildrenDeleted wait MachinesTerminating',
    ],
    ['that is deleted and empty', { set: machineSet(leaving) }, 'FinalizerRemoved removeFinalizer'],
    [
      'that is deleted and adopts nobody',
      { set: machineSet(leaving), orphans: [named('o')] },
      'FinalizerRemoved removeFinalizer',
    ],
  ];
  test.each(rows)('%s', (_what, facts, judgement) => expect(judge(facts)).toBe(judgement));

  test('counts machines by owner, so that strays with foreign labels cannot make it create without end (hack/spec/cluster-api.md F2 10, 11)', () => {
    const set = machineSet({ metadata: { annotations: { 'deployment.kubernetes.io/max-replicas': '4' } } });
    const strays = ['s', 't', 'u', 'v'].map((name) => named(name, 'Running', leaving));
    expect(liveSteps['ScaledUp']?.(view({ set, strays }))).toMatchObject({ kind: 'wait', reason: 'WaitingForVMsToGo' });
  });
});

describe('names of new machines', () => {
  const names = (facts: Partial<MachineSetView>) => {
    const { outcome } = plan(view(facts));
    return outcome.kind === 'act' && outcome.action.do === 'create' ? outcome.action.names : [];
  };

  test('are the same for who sees the same, so that a late cache makes none too many (hack/spec/cluster-api.md F2 12, 13)', () => {
    expect(names({})).toEqual(names({}));
    expect(names({ machines: [three[1] as Machine, three[0] as Machine] })).toEqual(
      names({ machines: three.slice(0, 2) }),
    );
    expect(new Set(names({})).size).toBe(3);
  });

  test('are others once machines came, went or failed, or a name was taken', () => {
    const all = [
      names({}),
      names({ machines: three.slice(0, 1) }),
      names({ machines: three.slice(0, 2) }),
      names({ salt: 1 }),
      names({ set: machineSet({ status: { creationBackOff: { failures: 1 } } }) }),
    ];
    expect(new Set(all.flat()).size).toBe(3 + 2 + 1 + 3 + 3);
  });

  test('are others each time that the set has none (hack/decisions/0051 S18)', () => {
    const seen = new Set<string>();
    let set = machineSet();
    for (const machines of [[], three, [], three, []]) {
      for (const name of names({ set, machines, strays: [] })) seen.add(name);
      set = { ...set, status: statusOf(view({ set, machines }), undefined, at(0)) };
    }
    expect(seen.size).toBe(3 * 3);
  });

  test('fit into a label value, however long the set’s name is', () => {
    const set = machineSet({ metadata: { name: 'x'.repeat(80) } });
    for (const name of names({ set })) expect(name).toMatch(/^x{57}-[a-z0-9]{5}$/);
  });
});
