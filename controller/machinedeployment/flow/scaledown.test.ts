import { expect, test } from 'bun:test';
import { at, inPhase, machineDeployment } from '../../../test/fixtures/objects.ts';
import { victimsMarked } from './scaledown.ts';
import { setOf, view } from './view.fixture.ts';

const TRIGGER = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';
const SCALED = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
const PRIORITY = 'machinepriority.machine.sapcloud.io';
const MARKED = 'machine.sapcloud.io/marked-for-deletion-time';
const [T1, T2] = [at(10), at(20)];

const named = (name: string, metadata: object = {}, phase = 'Running') =>
  inPhase(phase, 0, { metadata: { name, ...metadata } });
const machines = [
  named('a'),
  named('b', { annotations: { [PRIORITY]: '3' } }),
  named('marked', { annotations: { [PRIORITY]: '1', [MARKED]: T1 } }),
  named('again', { annotations: { [PRIORITY]: '1', [MARKED]: 'soon' } }),
  named('failed', {}, 'Failed'),
  named('leaving', { deletionTimestamp: at(5) }),
];

/** What is done for a deployment with these annotations. */
function judge(annotations: Record<string, string>) {
  const deployment = machineDeployment({ metadata: { annotations } });
  const { set } = setOf(deployment, 'set', { wants: 6 });
  const outcome = victimsMarked(view(deployment, [{ set, machines }]));
  if (outcome.kind !== 'act') return outcome.kind;
  if (outcome.action.do === 'annotate') return outcome.action.annotations;
  if (outcome.action.do !== 'mark') return outcome.action.do;
  return outcome.action.marks.map(({ machine, annotations: marks }) => [machine.metadata.name, marks]);
}

const first = (time: string) => ({ [PRIORITY]: '1', [MARKED]: time });

test.each([
  ['without a wish', {}, 'pass'],
  ['with an empty wish', { [TRIGGER]: '' }, { [TRIGGER]: null }],
  [
    'with a wish that is well-formed',
    { [TRIGGER]: `a~${T1},b~${T2}` },
    [
      ['a', first(T1)],
      ['b', first(T2)],
    ],
  ],
  [
    'with entries without a time: they are as old as the last scaling',
    { [TRIGGER]: 'a,b', [SCALED]: T2 },
    { [TRIGGER]: `a~${T2},b~${T2}`, [SCALED]: T2 },
  ],
  [
    'with entries without any time: they are of now',
    { [TRIGGER]: 'a' },
    { [TRIGGER]: `a~${at(60)}`, [SCALED]: at(60) },
  ],
  [
    'with entries of more parts',
    { [TRIGGER]: `a~${T1}~x,b~${T1}`, [SCALED]: T1 },
    { [TRIGGER]: `b~${T1}`, [SCALED]: T1 },
  ],
  ['with entries whose time is none', { [TRIGGER]: 'a~soon', [SCALED]: T1 }, { [TRIGGER]: null }],
  [
    'with a machine that is Failed, and may be preserved (hack/decisions/0051 U20)',
    { [TRIGGER]: `failed~${T1}`, [SCALED]: T1 },
    [['failed', first(T1)]],
  ],
  ['with a machine that leaves', { [TRIGGER]: `leaving~${T1}`, [SCALED]: T1 }, { [TRIGGER]: null }],
  [
    'with a machine that is not there, or another deployment’s',
    { [TRIGGER]: `gone~${T1},a~${T1}`, [SCALED]: T1 },
    { [TRIGGER]: `a~${T1}`, [SCALED]: T1 },
  ],
  [
    'with several entries for one machine (hack/decisions/0028 T30)',
    { [TRIGGER]: `a~${T2},b~${T2},a~${T1},a~${T2}`, [SCALED]: T1 },
    { [TRIGGER]: `a~${T1},b~${T2}`, [SCALED]: T1 },
  ],
  ['with machines that are marked already', { [TRIGGER]: `marked~${T2}` }, 'pass'],
  ['with a machine whose mark is unreadable', { [TRIGGER]: `again~${T2}` }, [['again', first(T2)]]],
])('a deployment %s (hack/spec/mcm.md 4.11)', (_what, annotations, outcome) => {
  expect<unknown>(judge(annotations as Record<string, string>)).toEqual(outcome);
});

test.each([
  ['alone', {}, `a~${at(60)}`],
  ['beside what a scaler named before', { [TRIGGER]: `b,a~${T2}`, [SCALED]: T1 }, `b~${T1},a~${T2}`],
])('machines that the spec names are taken over into the annotation, %s', (_what, annotations, list) => {
  const deployment = machineDeployment({ metadata: { annotations }, spec: { deleteMachines: ['a', 'leaving', 'a'] } });
  const { set } = setOf(deployment, 'set', { wants: 6 });
  expect(victimsMarked(view(deployment, [{ set, machines }]))).toMatchObject({
    action: { do: 'takeVictims', annotations: { [TRIGGER]: list, [SCALED]: at(60) } },
  });
});

test('a machine that the spec names, and that leaves already, is dropped', () => {
  const deployment = machineDeployment({ spec: { deleteMachines: ['leaving'] } });
  const { set } = setOf(deployment, 'set', { wants: 6 });
  expect(victimsMarked(view(deployment, [{ set, machines }]))).toMatchObject({
    reason: 'CleanUpVictims',
    action: { do: 'takeVictims', annotations: { [TRIGGER]: null } },
  });
});

// hack/decisions/0051 U46
test.each([
  ['none of which', ['gone'], null, 'gone'],
  ['not all of which', ['gone', 'a', 'off', 'gone', 'x', 'y', 'z'], `a~${at(60)}`, 'gone, off, x and 2 more'],
])('machines that the spec names, %s the deployment has, are passed over, and told', (_what, names, list, told) => {
  const deployment = machineDeployment({ spec: { deleteMachines: names } });
  const { set } = setOf(deployment, 'set', { wants: 6 });
  const outcome = victimsMarked(view(deployment, [{ set, machines }]));
  expect(outcome).toMatchObject({
    reason: 'UnknownVictims',
    action: { do: 'takeVictims', annotations: { [TRIGGER]: list } },
    message: `passed over, for the deployment has no such machine: ${told}; where replicas were lowered for them, others go`,
  });
});

/** As many names of 253 characters as a list may have: such machines were made past the webhook alone. */
const long = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(253, 'm'));

test.each([
  ['nothing', {}, true],
  ['much', { other: 'é'.repeat(60_000) }, true],
  ['nearly all that an object can carry', { other: 'x'.repeat(260_000) }, false],
])(
  'names without room among annotations are cut, and told, with %s beside them (hack/decisions/0051 L46)',
  (_what, beside, some) => {
    const before = { ...beside, [TRIGGER]: `a~${T1}`, [SCALED]: T1 };
    const deployment = machineDeployment({ metadata: { annotations: before }, spec: { deleteMachines: long } });
    const { set } = setOf(deployment, 'set', { wants: 1001 });
    const outcome = victimsMarked(
      view(deployment, [{ set, machines: [named('a'), ...long.map((name) => named(name))] }]),
    );
    if (outcome.kind !== 'act' || outcome.action.do !== 'takeVictims') throw new Error(outcome.kind);
    const { annotations } = outcome.action;
    const [first, ...taken] = annotations[TRIGGER]?.split(',') ?? [];
    expect(
      Buffer.byteLength(
        Object.entries({ ...before, ...annotations })
          .flat()
          .join(''),
      ),
    ).toBeLessThanOrEqual(262_144);
    expect([first, taken.length > 0]).toEqual([`a~${T1}`, some]);
    expect(outcome).toMatchObject({
      reason: 'CutVictims',
      message: `${taken.length} of 1000 machines that spec.deleteMachines names are marked: annotations have no room for more names; name the others once these have gone`,
    });
  },
);
