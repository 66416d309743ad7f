import { benchDrain, podOn } from '../../controller/drain/drains.fixture.ts';
import { planDrain } from '../../controller/drain/flow/plan.ts';
import { ruled, verdictOn } from '../../controller/drain/flow/rules.ts';
import { drainRule } from '../../controller/machine/drainrules.fixture.ts';
import { asks, change, seen as synced } from '../../controller/machine/flow/nodesync.fixture.ts';
import { rulesFor } from '../../controller/machine/observedrain.ts';
import { plan as planDeployment } from '../../controller/machinedeployment/flow/flow.ts';
import { inPlaceView, updatedInPlace, waiting } from '../../controller/machinedeployment/flow/inplaceupdate.fixture.ts';
import { rolledInPlace } from '../../controller/machinedeployment/flow/inplaceupdate.ts';
import { newSet } from '../../controller/machinedeployment/flow/revision.ts';
import { view as deploymentView, setOf } from '../../controller/machinedeployment/flow/view.fixture.ts';
import { numbersOf } from '../../controller/machinedeployment/flow/view.ts';
import { statusOf } from '../../controller/machineset/flow/status.ts';
import { view as setView } from '../../controller/machineset/flow/view.fixture.ts';
import { revisionMarks } from '../../controller/model/autoscaler.ts';
import type { DrainBehavior, MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { matches } from '../../schemas/selector.ts';
import { at, inPhase, machine, machineDeployment, machineSet } from '../fixtures/objects.ts';

/** How it is known that somebody heeds a value of a field that has a few. */
export type HeededValue =
  /** What becomes of it: something else than of each other value. */
  | (() => unknown)
  /** Only a driver that can acts on it: the rule of this id (schemas/rules/drivenfields.ts) asks for one. */
  | { driven: string }
  /** What holds where the field is left out: no driver is asked for anything. */
  | 'usual';

/** The values of a field. */
export type HeededValues = Readonly<Record<string, HeededValue>>;

const each = <T extends string>(values: readonly T[], becomes: (value: T) => unknown): HeededValues =>
  Object.fromEntries(values.map((value) => [value, () => becomes(value)]));

type RuleSelector = NonNullable<NonNullable<MachineDrainRule['spec']['pods']>[number]['selector']>;

const LABELS = { one: 'b', two: 'c' };

/** What each operator takes of labels that have the value, another one, or none. */
const operators = (takes: (selector: RuleSelector) => unknown): HeededValues =>
  each(['In', 'NotIn', 'Exists', 'DoesNotExist'], (operator) =>
    ['one', 'two', 'three'].map((key) =>
      takes({ matchExpressions: [{ key, operator, ...(operator.endsWith('In') && { values: ['b'] }) }] }),
    ),
  );

/** What becomes of a pod under a rule whose entry says this. */
function ruledBy(spec: Partial<MachineDrainRule['spec']>) {
  const rules = [drainRule('a', { drain: { behavior: 'Skip' }, ...spec })];
  const fact = rulesFor(machine({ metadata: { labels: LABELS } }), { rules, clusterLabels: LABELS });
  if (fact.at !== 'known') throw new Error('the rule cannot be understood');
  const pod = { namespace: 'shop', completed: false, drainLabels: {}, labels: LABELS, namespaceLabels: LABELS };
  return verdictOn(pod, (subject) => ruled(subject, fact.rules));
}

/** What a drain does first with a pod under such a rule. */
function drainedBy(behavior: DrainBehavior) {
  const { target, look } = benchDrain({ rules: { at: 'known', rules: [{ name: 'a', behavior, order: 0 }] } });
  target.pods.put(podOn('a'));
  const outcome = planDrain(look());
  return outcome.kind === 'pass' ? 'let be' : outcome.reason;
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
const modes = (id: string): HeededValues => ({ Hard: { driven: id }, Soft: { driven: id }, TrySoft: 'usual' });

/** Who heeds each value of a Machine's fields. */
const machineValues: Readonly<Record<string, HeededValues>> = {
  'spec.nodeTemplate.spec.taints[].effect': each(taintEffects, (effect) =>
    change(synced({ template: asks({}, {}, [{ key: 'a', effect }]) })),
  ),
  'spec.taints[].effect': each(taintEffects, (effect) => change(synced({ taints: [{ key: 'a', effect }] }))),
  'spec.deletionPolicy': { Delete: 'usual', Retain: { driven: 'retain-possible' } },
  'spec.powerState': {
    PoweredOn: { driven: 'power-possible' },
    PoweredOff: { driven: 'power-possible' },
    Suspended: { driven: 'suspend-possible' },
  },
  'spec.powerOffMode': modes('power-off-mode-possible'),
  'spec.suspendMode': modes('suspend-mode-possible'),
  'spec.restartMode': modes('restart-mode-possible'),
  'spec.promoteDisksMode': {
    Disabled: 'usual',
    Online: { driven: 'disks-possible' },
    Offline: { driven: 'disks-possible' },
  },
};

const policies = ['Ignore', 'Honor'] as const;
const selected = operators((selector) => matches(selector, LABELS));

/** Of one machine that has run for a minute. */
const available = (minReadySecondsPolicy: (typeof policies)[number]) => {
  const set = machineSet({ spec: { minReadySeconds: 90, minReadySecondsPolicy } });
  return statusOf(setView({ set, machines: [inPhase('Running', 0)] }), undefined, at(60)).availableReplicas;
};

function passedOn(minReadySecondsPolicy: (typeof policies)[number]) {
  const deployment = machineDeployment({ spec: { minReadySecondsPolicy } });
  return newSet(deployment, [], { ...numbersOf(deployment), initial: 1 }).spec?.minReadySecondsPolicy;
}

/** What is done first for a deployment whose machines are all of an old template. */
function rolled(type: 'RollingUpdate' | 'Recreate' | 'InPlaceUpdate') {
  const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
  const annotations = { 'deployment.kubernetes.io/revision': '2' };
  const deployment = machineDeployment({ metadata: { annotations }, spec: { strategy: { type } } });
  const sets = [setOf(older, 'old', { wants: 3 }), setOf(deployment, 'new', { wants: 0 })];
  for (const [at, { set }] of sets.entries()) Object.assign(set.metadata.annotations ?? {}, revisionMarks(at + 1));
  const { step, outcome } = planDeployment(deploymentView(deployment, sets));
  return [step, outcome.kind === 'pass' ? 'pass' : outcome.reason];
}

/** Who heeds each value, by kind and field. A Machine's spec in templates is the Machine's. */
export const values: Readonly<Record<string, Readonly<Record<string, HeededValues>>>> = {
  Machine: machineValues,
  MachineSet: {
    'spec.selector.matchExpressions[].operator': selected,
    'spec.minReadySecondsPolicy': each(policies, available),
  },
  MachineDeployment: {
    'spec.selector.matchExpressions[].operator': selected,
    'spec.minReadySecondsPolicy': each(policies, passedOn),
    'spec.strategy.type': each(['RollingUpdate', 'Recreate', 'InPlaceUpdate'], rolled),
    'spec.strategy.inPlaceUpdate.orchestrationType': each(['Auto', 'Manual'], (orchestrationType) => {
      const old = { machines: [waiting, waiting], stopped: true };
      return rolledInPlace(inPlaceView(updatedInPlace(2, { orchestrationType }), { machines: [] }, old));
    }),
  },
  MachineDrainRule: {
    'spec.drain.behavior': each(['Drain', 'Skip', 'WaitCompleted'], drainedBy),
    'spec.machines[].selector.matchExpressions[].operator': operators((selector) =>
      ruledBy({ machines: [{ selector }] }),
    ),
    'spec.machines[].clusterSelector.matchExpressions[].operator': operators((clusterSelector) =>
      ruledBy({ machines: [{ clusterSelector }] }),
    ),
    'spec.pods[].selector.matchExpressions[].operator': operators((selector) => ruledBy({ pods: [{ selector }] })),
    'spec.pods[].namespaceSelector.matchExpressions[].operator': operators((namespaceSelector) =>
      ruledBy({ pods: [{ namespaceSelector }] }),
    ),
  },
};
