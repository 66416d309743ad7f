import { plan as planDeployment } from '../../controller/machinedeployment/flow/flow.ts';
import { newSet } from '../../controller/machinedeployment/flow/revision.ts';
import { view as deploymentView, setOf } from '../../controller/machinedeployment/flow/view.fixture.ts';
import { numbersOf } from '../../controller/machinedeployment/flow/view.ts';
import { plan as planSet } from '../../controller/machineset/flow/flow.ts';
import { statusOf } from '../../controller/machineset/flow/status.ts';
import { newMachine } from '../../controller/machineset/flow/template.ts';
import { view as setView } from '../../controller/machineset/flow/view.fixture.ts';
import { matches, type Selector } from '../../schemas/selector.ts';
import { at, inPhase, machineDeployment, machineSet } from '../fixtures/objects.ts';
import type { HeededFields } from './row.ts';

type SetSpec = NonNullable<NonNullable<Parameters<typeof machineSet>[0]>['spec']>;
type DeploymentSpec = NonNullable<Parameters<typeof machineDeployment>[0]>['spec'];

const deployed = (spec: DeploymentSpec = {}) => machineDeployment({ spec });
const decidedSet = (spec: SetSpec) => planSet(setView({ set: machineSet({ spec }) }));
const made = (spec: SetSpec) => newMachine(setView({ set: machineSet({ spec }) }), 'one');
const madeSet = (spec?: DeploymentSpec) => newSet(deployed(spec), [], { ...numbersOf(deployed(spec)), initial: 1 });

/** What is decided for a deployment that rolls from an old set to one that it has yet to make. */
function decided(spec?: DeploymentSpec) {
  const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
  return planDeployment(deploymentView(deployed(spec), [setOf(older, 'old', { wants: 3 })]));
}

const HONOR = { minReadySecondsPolicy: 'Honor' } as const;

/** How many machines count as available of one that has run for a minute. */
const available = (spec: SetSpec) =>
  statusOf(setView({ set: machineSet({ spec }), machines: [inPhase('Running', 0)] }), undefined, at(60))
    .availableReplicas;

/** What labels a selector takes, of some. */
const selected = (selector: Selector) =>
  [{ a: 'b' }, { a: 'c' }, { d: 'b' }, {}].map((labels: Record<string, string>) => matches(selector, labels));
const expression = (more: object = {}) =>
  selected({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'], ...more }] });

/** Fields that sets and deployments share. */
const shared: HeededFields = {
  'spec.selector.matchLabels': () => [selected({ matchLabels: { a: 'c' } }), selected({ matchLabels: { a: 'b' } })],
  'spec.selector.matchExpressions[].key': () => [expression(), expression({ key: 'd' })],
  'spec.selector.matchExpressions[].operator': () => [expression(), expression({ operator: 'NotIn' })],
  'spec.selector.matchExpressions[].values': () => [expression(), expression({ values: ['c'] })],
};

/** Who heeds each field of a MachineSet's spec. */
export const setFields: HeededFields = {
  ...shared,
  'spec.replicas': () => [decidedSet({ replicas: 3 }), decidedSet({ replicas: 2 })],
  'spec.machineClass.apiGroup': { unheeded: 'never read' },
  'spec.machineClass.kind': { unheeded: 'Always MachineClass' },
  'spec.machineClass.name': { unheeded: 'Kept for MCM' },
  'spec.template.metadata.labels': () => [made({}), made({ template: { metadata: { labels: { wool: 'red' } } } })],
  'spec.template.metadata.annotations': () => [made({}), made({ template: { metadata: { annotations: { a: 'b' } } } })],
  'spec.template.metadata.finalizers': () => [made({}), made({ template: { metadata: { finalizers: ['a.b/c'] } } })],
  'spec.template.spec': () => [made({}), made({ template: { spec: { drainTimeout: '5m' } } })],
  'spec.minReadySeconds': () => [available(HONOR), available({ ...HONOR, minReadySeconds: 90 })],
  'spec.minReadySecondsPolicy': () => [
    available({ minReadySeconds: 90 }),
    available({ ...HONOR, minReadySeconds: 90 }),
  ],
  'spec.autoPreserveFailedMachineMax': {
    file: 'controller/machineset/flow/preservation.test.ts',
    title: 'Failed machines that nobody speaks of (hack/spec/mcm.md 6.12, auto-preservation)',
  },
};

/** Who heeds each field of a MachineDeployment's spec. */
export const deploymentFields: HeededFields = {
  ...shared,
  'spec.replicas': () => [numbersOf(deployed()), numbersOf(deployed({ replicas: 2 }))],
  'spec.template.metadata.labels': () => [madeSet(), madeSet({ template: { metadata: { labels: { wool: 'red' } } } })],
  'spec.template.metadata.annotations': () => [
    madeSet(),
    madeSet({ template: { metadata: { annotations: { a: 'b' } } } }),
  ],
  'spec.template.metadata.finalizers': () => [
    madeSet(),
    madeSet({ template: { metadata: { finalizers: ['a.b/c'] } } }),
  ],
  'spec.template.spec': () => [madeSet(), madeSet({ template: { spec: { drainTimeout: '5m' } } })],
  'spec.strategy.type': () => [decided(), decided({ strategy: { type: 'Recreate' } })],
  'spec.strategy.rollingUpdate.maxSurge': () => [
    numbersOf(deployed()),
    numbersOf(deployed({ strategy: { rollingUpdate: { maxSurge: 3 } } })),
  ],
  'spec.strategy.rollingUpdate.maxUnavailable': () => [
    numbersOf(deployed()),
    numbersOf(deployed({ strategy: { rollingUpdate: { maxUnavailable: 2 } } })),
  ],
  'spec.strategy.inPlaceUpdate.maxSurge': () => inPlace({ maxSurge: 3 }),
  'spec.strategy.inPlaceUpdate.maxUnavailable': () => inPlace({ maxUnavailable: 2 }),
  'spec.strategy.inPlaceUpdate.orchestrationType': () => inPlace({ orchestrationType: 'Manual' }),
  'spec.minReadySeconds': () => [madeSet(), madeSet({ minReadySeconds: 5 })],
  'spec.minReadySecondsPolicy': () => [madeSet(), madeSet(HONOR)],
  'spec.revisionHistoryLimit': {
    file: 'controller/machinedeployment/flow/flow.test.ts',
    title: 'that keeps no history',
  },
  'spec.deleteMachines': () => [decided(), decided({ deleteMachines: ['old-0'] })],
  'spec.paused': () => [decided(), decided({ paused: true })],
  'spec.rollbackTo.revision': {
    file: 'controller/machinedeployment/flow/revision.rollback.test.ts',
    title: 'a deployment that is paused keeps the wish',
  },
  'spec.progressDeadlineSeconds': {
    file: 'controller/machinedeployment/flow/status.test.ts',
    title: 'counts as failed once its deadline has passed',
  },
  'spec.autoPreserveFailedMachineMax': () => [madeSet(), madeSet({ autoPreserveFailedMachineMax: 2 })],
};

type InPlace = NonNullable<NonNullable<DeploymentSpec>['strategy']>['inPlaceUpdate'];

function inPlace(more: InPlace): readonly [unknown, unknown] {
  const of = (inPlaceUpdate: InPlace) => numbersOf(deployed({ strategy: { type: 'InPlaceUpdate', inPlaceUpdate } }));
  return [of({}), of(more)];
}
