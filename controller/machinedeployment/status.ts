import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { strategyFault } from '../../schemas/rules/strategy.ts';
import { eventOf, type Note } from '../reasons.ts';
import { selectingFault } from '../selecting.ts';
import { selectorText } from '../selectortext.ts';
import { specCondition, templateFault } from '../templatefault.ts';
import { availableOf, numbersOf, preservedOf, specReplicas, sum } from './numbers.ts';
import { replacementStopped } from './outage.ts';
import { events } from './reasons.ts';
import { newSetOf } from './revision.ts';
import type { MachineDeploymentView, SetFact } from './view.ts';

type Status = NonNullable<MachineDeployment['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** How many machines there are, and how far they are. */
interface Counts {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  preservedFailedReplicas: number;
}

/** The status that the MachineDeployment should have (MCM 4.9). @param timestamp the view's moment as RFC 3339 */
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

const isOverdue = ({ type, reason }: Condition): boolean =>
  type === 'Progressing' && reason === 'ProgressDeadlineExceeded';

/** Milliseconds until a rollout of this status counts as stuck; Infinity when it is complete or has no deadline. */
export function deadlineIn(
  { deployment: { spec }, now }: Pick<MachineDeploymentView, 'deployment' | 'now'>,
  status: Status | null | undefined,
): number {
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  const deadline = spec.progressDeadlineSeconds;
  if (deadline === undefined || deadline === null || progressing?.status !== 'True') return Infinity;
  if (progressing.reason === 'NewMachineSetAvailable') return Infinity;
  return Date.parse(progressing.lastUpdateTime ?? '') + deadline * 1000 - now;
}

function countsOf({ deployment, sets, now }: MachineDeploymentView): Counts {
  const updated = newSetOf(deployment, sets);
  const ready = ({ machines }: SetFact) =>
    machines.filter(({ status }) => status?.currentStatus?.phase === 'Running').length;
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
  const failure = view.sets.flatMap(({ set }) => set.status?.machineSetCondition ?? []).find(isReplicaFailure);
  const kept = before.filter(({ type }) => !OWN.has(type));
  const { deployment } = view;
  const fault = specCondition(
    selectingFault(deployment.spec) ?? templateFault(deployment) ?? strategyFault(deployment.spec.strategy),
  );
  const ours = [available(view, counts), progressing(view, counts), failure && told(failure), fault];
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
  'ReplacementStopped',
]);

type News = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & { refreshed?: boolean };

const isReplicaFailure = ({ type, status }: { type: string; status: string }): boolean =>
  type === 'ReplicaFailure' && status === 'True';

const told = ({ type, status, reason, message }: News): News => ({ type, status, reason, message });

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

/** Reasons after which progress is dated anew. */
const STOPPED: ReadonlySet<string> = new Set(['DeploymentPaused', 'TargetAway']);

function progressing(view: MachineDeploymentView, counts: Counts): News {
  const type = 'Progressing';
  const before = view.deployment.status?.conditions?.find((condition) => condition.type === type);
  const overdue = {
    type,
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message: 'the rollout stands still for too long',
  };
  if (view.deployment.spec.paused)
    return { type, status: 'Unknown', reason: 'DeploymentPaused', message: 'the rollout is paused' };
  // Else an autoscaler, which waits for the end of rollouts, could take nothing away while a machine is ill or cannot be made.
  if (before?.reason === 'NewMachineSetAvailable' && counts.replicas === counts.updatedReplicas) return told(before);
  if (view.held !== undefined) return { type, status: 'Unknown', reason: 'TargetAway', message: view.held };
  if (isComplete(view, counts))
    return {
      type,
      status: 'True',
      reason: 'NewMachineSetAvailable',
      message: 'every machine is of the newest template',
    };
  const moved = hasMoved(view.deployment.status, counts) || STOPPED.has(before?.reason ?? '') || !before;
  if (!moved && (deadlineIn(view, view.deployment.status) <= 0 || before.reason === overdue.reason)) return overdue;
  return { type, status: 'True', reason: 'MachineSetUpdated', message: 'the rollout is going on', refreshed: moved };
}

function isComplete({ deployment }: MachineDeploymentView, counts: Counts): boolean {
  const wanted = deployment.spec.replicas ?? 0;
  return counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted;
}

function hasMoved(before: Status | undefined, after: Counts): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = before ?? {};
  return (
    after.updatedReplicas > updatedReplicas ||
    after.replicas - after.updatedReplicas < replicas - updatedReplicas ||
    after.readyReplicas > readyReplicas ||
    after.availableReplicas > availableReplicas
  );
}

/**
 * The same status and reason are no news: only the message is today's, unless progress is to be dated anew (MCM 4.9; mended: a message
 * that nobody refreshes tells of another failure than the present one).
 */
function dated(before: readonly Condition[], { refreshed, ...news }: News, now: string): Condition {
  const old = before.find(({ type }) => type === news.type);
  if (old && old.status === news.status && old.reason === news.reason)
    return { ...old, message: news.message, ...(refreshed && { lastUpdateTime: now }) };
  const lastTransitionTime = old?.status === news.status ? old.lastTransitionTime : now;
  return { ...news, lastUpdateTime: now, lastTransitionTime };
}
