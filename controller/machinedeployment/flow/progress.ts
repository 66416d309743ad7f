import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { named } from '../../flow/flow.ts';
import { availableIn, isLive } from '../../model/machine.ts';
import { phaseOf, phaseRow } from '../../model/phases.ts';
import { newSetOf } from './revision.ts';
import { availableOf, type MachineDeploymentView, specReplicas } from './view.ts';

type Status = NonNullable<MachineDeployment['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** What a condition says; one that is `refreshed` dates its last update anew, although it says the same. */
export type News = Pick<Condition, 'type' | 'status' | 'reason' | 'message'> & { refreshed?: boolean };

/** How many machines there are, and how far they are. */
export interface Counts {
  replicas: number;
  updatedReplicas: number;
  readyReplicas: number;
  availableReplicas: number;
  preservedFailedReplicas: number;
}

const type = 'Progressing';
const OVERDUE = 'ProgressDeadlineExceeded';

/** The condition Progressing that a status has. */
export const progressOf = (status: Status | null | undefined): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** A rollout stands still, as this condition says. */
export const isOverdue = (condition: Condition): boolean => condition.type === type && condition.reason === OVERDUE;

/** Milliseconds until a rollout of this status counts as stuck; Infinity when it is complete or has no deadline. */
export function deadlineIn(
  { deployment: { spec }, now }: Pick<MachineDeploymentView, 'deployment' | 'now'>,
  status: Status | null | undefined,
): number {
  const { progressDeadlineSeconds: deadline } = spec;
  const progress = progressOf(status);
  if (deadline === undefined || deadline === null || !progress || !isJudged(progress)) return Infinity;
  return Date.parse(progress.lastUpdateTime ?? '') + deadline * 1000 - now;
}

/** A rollout that was resumed has the whole of its time again. */
const isJudged = ({ status, reason }: Condition): boolean =>
  reason === 'DeploymentResumed' || (status === 'True' && reason !== 'NewMachineSetAvailable');

/** What the status says of the rollout (hack/spec/mcm.md 4.9): what is so, whatever came before, or else how it goes on. */
export function progressing(view: MachineDeploymentView, counts: Counts): News {
  const before = progressOf(view.deployment.status);
  if (view.making) return { type, ...view.making };
  // That it had stood still is not forgotten because somebody paused it to look.
  if (view.deployment.spec.paused)
    return before && isOverdue(before)
      ? told(before)
      : { type, status: 'Unknown', reason: 'DeploymentPaused', message: 'the rollout is paused' };
  // Else an autoscaler, which waits for the end of rollouts, could take nothing away while a machine is unhealthy or cannot be made.
  if (before?.reason === 'NewMachineSetAvailable' && counts.replicas === counts.updatedReplicas) return told(before);
  if (view.held !== undefined)
    return { type, status: 'Unknown', reason: 'TargetClusterUnreachable', message: view.held };
  if (isComplete(view, counts))
    return {
      type,
      status: 'True',
      reason: 'NewMachineSetAvailable',
      message: 'every machine is of the newest template',
    };
  return goingOn(view, counts, before);
}

/** Nothing that moves leaves the reason as it is, until the deadline has passed; the message is always today's. */
function goingOn(view: MachineDeploymentView, counts: Counts, before: Condition | undefined): News {
  const { status } = view.deployment;
  const isFound = newSetOf(view.deployment, view.sets) !== undefined;
  if (before?.reason === 'MachineSetCreateError' && !isFound) return told(before);
  const message = progressText(view);
  if (before?.reason === 'DeploymentPaused')
    return { type, status: 'Unknown', reason: 'DeploymentResumed', message, refreshed: true };
  if (hasMoved(status, counts)) return { type, status: 'True', reason: 'MachineSetUpdated', message, refreshed: true };
  if (isFound && (!before || before.reason === 'MachineSetCreateError'))
    return { type, status: 'True', reason: 'FoundNewMachineSet', message };
  if (before && (isOverdue(before) || deadlineIn(view, status) <= 0))
    return { type, status: 'False', reason: OVERDUE, message: `the rollout stands still for too long: ${message}` };
  return before && LASTING.has(before.reason ?? '')
    ? { type, status: before.status, reason: before.reason, message }
    : { type, status: 'True', reason: 'MachineSetUpdated', message };
}

/** Reasons that stand until something moves; after any other, progress is dated anew. */
const LASTING: ReadonlySet<string> = new Set([
  'DeploymentResumed',
  'FoundNewMachineSet',
  'MachineSetUpdated',
  'NewMachineSetCreated',
]);

/** What a condition says, without its times. */
export const told = ({ status, reason, message, ...condition }: News): News => ({
  type: condition.type,
  status,
  reason,
  message,
});

function isComplete({ deployment }: MachineDeploymentView, counts: Counts): boolean {
  const wanted = deployment.spec.replicas ?? 0;
  return counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted;
}

function hasMoved(before: Status | null | undefined, after: Counts): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = before ?? {};
  return (
    after.updatedReplicas > updatedReplicas ||
    after.replicas - after.updatedReplicas < replicas - updatedReplicas ||
    after.readyReplicas > readyReplicas ||
    after.availableReplicas > availableReplicas
  );
}

/** How far a rollout is and which machines it waits for, by name. */
export function progressText(view: Pick<MachineDeploymentView, 'deployment' | 'sets' | 'now'>): string {
  const { deployment, sets, now } = view;
  const fresh = newSetOf(deployment, sets);
  const replicas = deployment.spec.replicas ?? 0;
  if (!fresh)
    return [`no machine is of the newest template, ${replicas} are wanted`, ...waits(leaving(view))].join('; ');
  const live = fresh.machines.filter(isLive);
  const late = live.filter((machine) => availableIn(fresh.set, machine, now) > 0 && !isUpdating(machine));
  const toMake = Math.max(0, specReplicas(fresh) - live.length);
  const awaited = [
    ...(toMake > 0 ? [`for machine set ${fresh.set.metadata.name} to make ${toMake}`] : []),
    ...(late.length > 0 ? [`for ${oldest(late, phased)} to become available`] : []),
    ...updating(view),
    ...leaving(view),
  ];
  const far = `${availableOf(fresh, now)} of ${replicas} machines are of the newest template and available`;
  return [far, ...waits(awaited)].join('; ');
}

const waits = (awaited: readonly string[]): string[] => (awaited.length > 0 ? [`waiting ${awaited.join(', ')}`] : []);

const updating = ({ sets }: Pick<MachineDeploymentView, 'sets'>): string[] => {
  const meant = sets.flatMap(({ machines }) => machines.filter((machine) => isLive(machine) && isUpdating(machine)));
  return meant.length > 0 ? [`for ${oldest(meant, phased)} to be updated in place`] : [];
};

const isUpdating = (machine: Machine): boolean => phaseRow(machine).updating === true;

function leaving({ sets }: Pick<MachineDeploymentView, 'sets'>): string[] {
  const going = sets.flatMap(({ machines }) => machines.filter((machine) => !isLive(machine)));
  return going.length > 0 ? [`for ${oldest(going, ({ metadata }) => metadata.name)} to go`] : [];
}

const phased = ({ metadata, status }: Machine): string => `${metadata.name} (${phaseOf({ status }) || 'Pending'})`;

/** The oldest ones are named. */
const oldest = (machines: readonly Machine[], nameOf: (machine: Machine) => string): string =>
  named(machines.toSorted(olderFirst).map(nameOf));

function olderFirst({ metadata: a }: Machine, { metadata: b }: Machine): number {
  const [one, other] = [a, b].map(({ creationTimestamp = '', name }) => `${creationTimestamp} ${name}`) as [
    string,
    string,
  ];
  return one < other ? -1 : 1;
}
