import { expect, test } from 'bun:test';
import { at, inPhase, machineDeployment } from '../../test/fixtures/objects.ts';
import { marked } from './marking.ts';
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
  const outcome = marked(view(deployment, [{ set, machines }]));
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
  ['with a machine that is Failed', { [TRIGGER]: `failed~${T1}`, [SCALED]: T1 }, { [TRIGGER]: null }],
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
])('a deployment %s (MCM 4.11)', (_what, annotations, outcome) => {
  expect<unknown>(judge(annotations as Record<string, string>)).toEqual(outcome);
});

test.each([
  ['alone', {}, `a~${at(60)},gone~${at(60)}`],
  ['beside what a scaler named before', { [TRIGGER]: `b~${T1}`, [SCALED]: T1 }, `b~${T1},a~${at(60)},gone~${at(60)}`],
])('machines that the spec names are taken over into the annotation, %s', (_what, annotations, list) => {
  const deployment = machineDeployment({ metadata: { annotations }, spec: { deleteMachines: ['a', 'gone'] } });
  const { set } = setOf(deployment, 'set', { wants: 6 });
  expect(marked(view(deployment, [{ set, machines }]))).toMatchObject({
    action: { do: 'takeVictims', annotations: { [TRIGGER]: list, [SCALED]: at(60) } },
  });
});
