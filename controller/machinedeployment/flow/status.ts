import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { strategyFault } from '../../../schemas/rules/strategy.ts';
import { eventOf, type Note } from '../../flow/flow.ts';
import { selectingFault, selectorText } from '../../model/ownership.ts';
import { phaseOf } from '../../model/phases.ts';
import { specCondition, templateFault } from '../../model/template.ts';
import { conditionOf } from '../../runtime/k8s/core.ts';
import { type Counts, isOverdue, type News, progressing, told } from './progress.ts';
import { events } from './reasons.ts';
import { newSetOf } from './revision.ts';
import {
  availableOf,
  type MachineDeploymentView,
  numbersOf,
  preservedOf,
  type SetFact,
  specReplicas,
  sum,
} from './view.ts';

type Status = NonNullable<MachineDeployment['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** The status that the MachineDeployment should have (hack/spec/mcm.md 4.9). @param timestamp the view's moment as RFC 3339 */
export function statusOf(view: MachineDeploymentView, timestamp: string): Status {
  const { deployment, sets } = view;
  const counts = countsOf(view);
  const failed = sets.flatMap(({ set }) => set.status?.failedMachines ?? []);
  return {
    ...deployment.status,
    ...counts,
    unavailableReplicas: Math.max(0, sum(sets, specReplicas) - counts.availableReplicas),
    observedGeneration: deployment.metadata.generation,
    failedMachines: failed.length > 0 ? failed : undefined,
    conditions: conditionsOf(view, counts, timestamp),
    labelSelector: selectorText(deployment.spec.selector),
  };
}

/** What a new status tells by an event: MCM tells of a rollout that stands still in a condition alone. */
export function newsOf(before: Status | null | undefined, after: Status): Note[] {
  const [was, is] = [before, after].map((status) => status?.conditions?.find(isOverdue));
  return is && !was ? [eventOf(events, 'ProgressDeadlineExceeded', is.message ?? '')] : [];
}

function countsOf({ deployment, sets, now }: MachineDeploymentView): Counts {
  const updated = newSetOf(deployment, sets);
  const ready = ({ machines }: SetFact) => machines.filter((machine) => phaseOf(machine) === 'Running').length;
  return {
    replicas: sum(sets, ({ machines }) => machines.length),
    updatedReplicas: updated?.machines.length ?? 0,
    readyReplicas: sum(sets, ready),
    availableReplicas: sum(sets, (fact) => availableOf(fact, now)),
    preservedFailedReplicas: sum(sets, (fact) => preservedOf(fact, now)),
  };
}

function conditionsOf(view: MachineDeploymentView, counts: Counts, now: string): Condition[] {
  const before = view.deployment.status?.conditions ?? [];
  const kept = before.filter(({ type }) => !OWN.has(type));
  const { deployment } = view;
  const fault = specCondition(
    selectingFault(deployment.spec) ?? templateFault(deployment) ?? strategyFault(deployment.spec.strategy),
  );
  const ours = [available(view, counts), progressing(view, counts), failureOf(view), fault];
  const next = [...ours, replacementStopped(view)];
  return [
    ...kept,
    ...next.filter((condition) => condition !== undefined).map((condition) => dated(before, condition, now)),
  ];
}

const OWN: ReadonlySet<string> = new Set([
  'Available',
  'Progressing',
  'ReplicaFailure',
  'SpecValid',
  'ReplacementPaused',
]);

/** What fails for the deployment itself, else for its newest set, else for an older one (hack/spec/mcm.md 4.9). */
function failureOf({ deployment, sets, refusal }: MachineDeploymentView): News | undefined {
  if (refusal) return { type: 'ReplicaFailure', status: 'True', ...refusal };
  const fresh = newSetOf(deployment, sets);
  const all = fresh ? [fresh, ...sets] : sets;
  const failure = all.flatMap(({ set }) => set.status?.machineSetCondition ?? []).find(isReplicaFailure);
  return failure && told(failure);
}

const isReplicaFailure = ({ type, status }: { type: string; status: string }): boolean =>
  type === 'ReplicaFailure' && status === 'True';

function available({ deployment }: MachineDeploymentView, counts: Counts): News {
  const { availableReplicas, preservedFailedReplicas } = counts;
  const { replicas, unavailable } = numbersOf(deployment);
  const enough = availableReplicas >= Math.max(0, replicas - unavailable - preservedFailedReplicas);
  return enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'enough machines are available',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: `${availableReplicas} of ${replicas} machines are available`,
      };
}

/**
 * The same status and reason are no news: only the message is today's, unless progress is to be dated anew (hack/spec/mcm.md 4.9; mended: a message
 * that nobody refreshes tells of another failure than the present one).
 */
function dated(before: readonly Condition[], { refreshed, ...news }: News, now: string): Condition {
  const old = before.find(({ type }) => type === news.type);
  if (old && old.status === news.status && old.reason === news.reason)
    return { ...old, message: news.message, ...(refreshed && { lastUpdateTime: now }) };
  const lastTransitionTime = old?.status === news.status ? old.lastTransitionTime : now;
  return { ...news, lastUpdateTime: now, lastTransitionTime };
}

/** Reasons of machines that are not replaced because too many are unhealthy (hack/decisions/0000 7, Meltdown). */
const OUTAGES: ReadonlySet<string> = new Set(['ZoneOutage', 'ClusterOutage']);

/** The condition of a deployment whose unhealthy machines are not replaced because that is an outage; undefined when there is none. */
export function replacementStopped({ sets }: Pick<MachineDeploymentView, 'sets'>) {
  const paused = sets.flatMap(({ machines }) => machines).filter(isReplacementPaused);
  const [first] = paused;
  if (!first) return undefined;
  const reason = first.status?.currentStep?.reason ?? '';
  const told = conditionOf(first, 'NodeHealthy')?.message;
  const message = `${paused.length} of its machines are not replaced; of ${first.metadata.name}: ${told}`;
  return { type: 'ReplacementPaused', status: 'True' as const, reason, message };
}

const isReplacementPaused = ({ metadata, status }: Machine): boolean =>
  !metadata.deletionTimestamp && OUTAGES.has(status?.currentStep?.reason ?? '');
