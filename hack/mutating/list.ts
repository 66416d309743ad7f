import { ofAttacks } from './attacks.ts';
import { ofLater } from './later.ts';
import { ofMachineLives } from './machinelives.ts';
import { ofMachines } from './machines.ts';
import type { Row } from './row.ts';

/** A small change of the code that some test must find: in `file`, `text` (which stands there once) becomes `becomes`. */
export interface Mutation {
  /** The finding of hack/decisions/0051 that was mended there, or the bound that it holds. */
  of: string;
  file: string;
  text: string;
  becomes: string;
  /** Files of which one must fail. */
  tests: readonly string[];
}

const DEPLOYMENT = 'controller/machinedeployment';
const SET = 'controller/machineset';
const FLOW = 'controller/flow';
const MODEL = 'controller/model';
const PLANNERS = ['test/planners/planners.test.ts', 'test/planners/rollouts.test.ts'];

const FINDINGS: readonly Row[] = [
  [
    'S1',
    `${DEPLOYMENT}/flow/progress.ts`,
    "before?.reason === 'NewMachineSetAvailable' &&",
    'false &&',
    `${DEPLOYMENT}/flow/status.test.ts`,
  ],
  [
    'S47',
    'controller/machineset/controller.ts',
    'if (!isConflict(error)) return false;',
    'return false;',
    'controller/machineset/conflicting.test.ts',
  ],
  ['S2', `${FLOW}/refusals.ts`, 'times < FREE ? 0', 'times > 0 ? 0', `${FLOW}/refusals.repeats.test.ts`],
  [
    'S2',
    `${DEPLOYMENT}/creating.ts`,
    'if (ours && newSetOf(deployment, [{ set: found, machines: [] }]))',
    'if (ours)',
    `${DEPLOYMENT}/creating.test.ts`,
    `${DEPLOYMENT}/actions.test.ts`,
  ],
  [
    'S3',
    `${DEPLOYMENT}/flow/scaling.ts`,
    'numbers.replicas > 0 && mayRefill(sizes)',
    'numbers.replicas > 0',
    `${DEPLOYMENT}/flow/flow.test.ts`,
  ],
  [
    'S4',
    `${DEPLOYMENT}/flow/flow.ts`,
    'atRest(view, scaled) : sorted',
    'sorted(view, scaled) : sorted',
    `${DEPLOYMENT}/flow/flow.test.ts`,
  ],
  ['S5', `${SET}/flow/flow.ts`, ' - view.takenBySiblings, BATCH', ', BATCH', ...PLANNERS],
  [
    'S5',
    `${MODEL}/machine.ts`,
    'Math.max(replicas, live + births) + holding.length - live',
    'Math.max(replicas, holding.length)',
    `${MODEL}/machine.holding.test.ts`,
  ],
  [
    'S6',
    'controller/state/childwrites.ts',
    'throw new SomeRefused(failures.map(',
    'throw failures[0]?.error; void (failures.map(',
    `${SET}/failing.test.ts`,
  ],
  [
    'S22',
    `${SET}/controller.ts`,
    'const refused = refusalOf(action.do, item);',
    "const refused = refusalOf('delete', item);",
    `${SET}/unchangeable.test.ts`,
  ],
  [
    'S23',
    `${SET}/controller.ts`,
    "action.do !== 'release' || kept.size === 0",
    "action.do === 'release'",
    `${SET}/unreleased.test.ts`,
  ],
  [
    'S7',
    `${SET}/flow/scaledown.ts`,
    'Number.isFinite(waitOf(machine, set, now)) ? 0 : 1',
    '0',
    `${SET}/flow/scaledown.test.ts`,
  ],
  ['S8', `${SET}/failures.ts`, "step === 'ScaledUp' || step === RECONCILED", 'false', `${SET}/failing.test.ts`],
  [
    'S9',
    `${DEPLOYMENT}/controller.ts`,
    'deadlineIn(view, status)',
    'deadlineIn(view, view.deployment.status)',
    `${DEPLOYMENT}/controller.test.ts`,
  ],
  [
    'S10',
    `${DEPLOYMENT}/flow/revision.ts`,
    ' && !key.startsWith(CAPACITY_PREFIX)',
    '',
    `${DEPLOYMENT}/flow/revision.rollback.test.ts`,
  ],
  ['S11', 'schemas/templateidentity.ts', 'spec: fixedFields(spec)', 'spec', `${DEPLOYMENT}/flow/revision.test.ts`],
  ['S12', `${MODEL}/machine.ts`, '!hasFailed && !(', '!hasFailed || !(', `${MODEL}/machine.holding.test.ts`],
  [
    'S13',
    `${DEPLOYMENT}/flow/flow.ts`,
    "scalings.length > 0 ? act('SyncMachineSet'",
    "scalings.length < 0 ? act('SyncMachineSet'",
    `${DEPLOYMENT}/flow/flow.test.ts`,
    ...PLANNERS,
  ],
  [
    'S14',
    `${DEPLOYMENT}/flow/scaling.ts`,
    ' - fact.machines.filter(victimOf(deployment)).length',
    ' - fact.machines.filter(victimOf(deployment)).length * 0',
    `${DEPLOYMENT}/flow/scaling.test.ts`,
  ],
  [
    'S15',
    `${DEPLOYMENT}/flow/flow.ts`,
    'shrunkOr(view, unlessFrozen(view, newMachineSetFound(view)))',
    'unlessFrozen(view, newMachineSetFound(view))',
    `${DEPLOYMENT}/flow/flow.test.ts`,
  ],
  ['S16', `${DEPLOYMENT}/controller.ts`, 'waitOf(decision), dead', 'dead', `${DEPLOYMENT}/controller.test.ts`],
  [
    'S17',
    'controller/safety/orphans/deletionmemory.ts',
    'setbacks(one) - setbacks(other)',
    '0',
    'controller/safety/orphans/vmsweep.test.ts',
  ],
  ['S18', `${SET}/flow/template.ts`, 'hash, changes, salt', 'hash, salt', `${SET}/flow/flow.test.ts`],
  ['S19a', `${SET}/flow/overshoot.ts`, ' || view.cluster.paused', '', `${SET}/flow/overshoot.test.ts`],
  ['S19b', `${DEPLOYMENT}/flow/flow.ts`, '(isComplete(all) ?', '(all ?', `${DEPLOYMENT}/flow/flow.test.ts`],
  [
    'S19c',
    `${MODEL}/ownership.ts`,
    'return mayAdopt ? undefined : [cache.whenSeen(live)];',
    'return mayAdopt ? undefined : [];',
    `${SET}/failing.test.ts`,
  ],
  [
    'S19d',
    'controller/safety/orphans/nodesweep.ts',
    'due.slice(0, MOST)',
    'due.slice(0, 1)',
    'controller/safety/orphans/nodesweep.test.ts',
  ],
  ['S19e', `${SET}/actions.ts`, " && status?.lastOperation?.type === 'HealthCheck'", '', `${SET}/failing.test.ts`],
  ['S20', 'controller/state/births.ts', 'open || until >', 'until >', 'controller/state/births.test.ts'],
  ['S20', `${SET}/controller.ts`, 'births.begin(view.set, action.names)', '{}', `${SET}/slowcreate.test.ts`],
  ['S20', `${DEPLOYMENT}/flow/view.ts`, ' + birthsOf(fact) === 0', ' === 0', `${DEPLOYMENT}/flow/flow.test.ts`],
  [
    'S21',
    'controller/state/watches.ts',
    '&& isSame(countedBy(before), countedBy(after))',
    '',
    'controller/state/siblings.test.ts',
  ],
  [
    'S19f',
    'controller/cluster/controller.ts',
    'repeats.waitMs(keyOf(view.cluster), status, clock.monotonic())',
    '0',
    'controller/cluster/disputed.test.ts',
  ],
  [
    'S19g',
    `${SET}/flow/releases.ts`,
    '...willing.filter(counts).slice(0, room)',
    '...willing.filter(counts)',
    `${SET}/failing.test.ts`,
  ],
  [
    'U16',
    `${SET}/flow/template.ts`,
    '[...finalizersOfTemplate, ...(served',
    '[...(served',
    `${SET}/flow/template.test.ts`,
  ],
  ['U16', 'schemas/templateidentity.ts', ' ...held, spec:', ' spec:', `${DEPLOYMENT}/flow/revision.test.ts`],
  [
    'U17',
    `${SET}/flow/template.ts`,
    'named && named.kind !== kind ?',
    'named && !kind ?',
    `${SET}/flow/template.test.ts`,
  ],
  [
    'U18',
    `${SET}/observe.ts`,
    "if (isTold || controllerOf(set)?.kind !== 'MachineDeployment')",
    'if (set)',
    `${SET}/observe.test.ts`,
  ],
  [
    'U19',
    `${DEPLOYMENT}/flow/inplacetransfer.ts`,
    'setOf(node) === undefined || setOf(node) === set.metadata.uid',
    'set !== undefined',
    `${DEPLOYMENT}/flow/inplacetransfer.test.ts`,
  ],
];

const BOUNDS: readonly Row[] = [
  [
    'no more than replicas + maxSurge',
    `${DEPLOYMENT}/flow/rollout.ts`,
    'const room = replicas + surge -',
    'const room = replicas + surge + 1 -',
    ...PLANNERS,
  ],
  [
    'no fewer than replicas - maxUnavailable',
    `${DEPLOYMENT}/flow/view.ts`,
    'Math.max(0, replicas - unavailable -',
    'Math.max(0, replicas - unavailable - 1 -',
    ...PLANNERS,
  ],
  ['new machines that are missing', `${DEPLOYMENT}/flow/rollout.ts`, ' - Math.max(0, newMissing)', '', ...PLANNERS],
  [
    'unhealthy ones first',
    `${DEPLOYMENT}/flow/rollout.ts`,
    'take(sizes, most, unhealthy)',
    'take(sizes, 0, unhealthy)',
    ...PLANNERS,
  ],
  [
    'available when it shrinks (0058)',
    `${DEPLOYMENT}/flow/scaling.ts`,
    'return sparing(seen, spread(bySize, shares, delta))',
    'return spread(bySize, shares, delta)',
    ...PLANNERS,
  ],
  [
    'surge up',
    `${DEPLOYMENT}/flow/view.ts`,
    'share(maxSurge, replicas, Math.ceil)',
    'share(maxSurge, replicas, Math.floor)',
    ...PLANNERS,
  ],
  [
    'unavailable down',
    `${DEPLOYMENT}/flow/view.ts`,
    'share(maxUnavailable, replicas, Math.floor)',
    'share(maxUnavailable, replicas, Math.ceil)',
    ...PLANNERS,
  ],
  [
    'of updates in place no more than may be missing',
    `${DEPLOYMENT}/flow/inplaceupdate.ts`,
    'Math.min(spare, missing)',
    'missing',
    `${DEPLOYMENT}/flow/inplaceupdate.test.ts`,
    'test/planners/inplace.test.ts',
  ],
  [
    'never both 0',
    `${DEPLOYMENT}/flow/view.ts`,
    'stuck ? 1 :',
    'stuck ? 0 :',
    `${DEPLOYMENT}/flow/view.numbers.test.ts`,
  ],
  [
    'a Recreate waits for the last one',
    `${DEPLOYMENT}/flow/flow.ts`,
    "'Recreate' && sets.some(hasMachines)",
    "'Recreate' && sets.length < 0",
    ...PLANNERS,
  ],
];

/** All of them. */
export const mutations: readonly Mutation[] = [
  ...FINDINGS,
  ...ofMachines,
  ...ofMachineLives,
  ...ofLater,
  ...ofAttacks,
  ...BOUNDS,
].map(([of, file, text, becomes, ...tests]) => ({
  of,
  file,
  text,
  becomes,
  tests,
}));
