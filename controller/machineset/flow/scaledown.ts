import {
  ANNOTATION_DESIRED,
  ANNOTATION_MARKED,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRIORITY,
  ANNOTATION_SCALED_BY_SCALER,
  DELETE_MACHINE_MARKS,
  LABEL_SCALE_UP_DISABLED,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { BOUND_KEYS } from '../../../schemas/rules/autoscaler.ts';
import { timeOf } from '../../../schemas/rules/time.ts';
import type { Decision } from '../../flow/flow.ts';
import { availableIn, isArriving, isLive, isVictim, replicasOf } from '../../model/machine.ts';
import { phaseOf, phaseRow } from '../../model/phases.ts';
import { conditionOf } from '../../runtime/k8s/core.ts';
import { isFailedForGood } from './preservation.ts';
import type { MachineSetAction, MachineSetView } from './view.ts';

/** Priority of a Machine that names none, or none that is a number (hack/spec/mcm.md 5.5). */
const USUAL_PRIORITY = 3;

/** Priority of a Machine that a scaler wants to be gone (hack/spec/mcm.md 4.11). */
const FIRST_PRIORITY = 1;

/**
 * Machines in the order in which they are deleted: named by a scaler, not preserved, lower priority, marked earlier, phase, not ready,
 * not available yet, migrating, older (hack/spec/mcm.md 5.5; hack/decisions/0000 3; KubeVirt's order among running ones). Mended: machines in an in-place update
 * are no preferred victims; who lowered a size for one machine gets that one, preserved or not (hack/decisions/0051 U20).
 * @param now milliseconds since the epoch
 */
export function deletionOrder(machines: readonly Machine[], set: MachineSet, now: number): Machine[] {
  const ranked = machines.map((machine) => ({ machine, rank: rankOf(machine, set, now) }));
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ machine }) => machine);
}

/** In the words of Cluster API. */
const isMarked = ({ metadata }: Machine): boolean =>
  DELETE_MACHINE_MARKS.some((mark) => metadata.annotations?.[mark] !== undefined);

/** A scaler or a person lowered the size for this very machine, in the words of Cluster API or MCM. */
const isNamed = (machine: Machine): boolean =>
  isMarked(machine) || (priorityOf(machine) === FIRST_PRIORITY && Number.isFinite(markedAt(machine)));

/**
 * The cluster-autoscaler lowers the size for a machine that never became a Node without a mark, and counts on those that run to stay: in
 * its groups one that is Failed goes before these (hack/decisions/0051 U21).
 */
const yields = ({ status }: Machine, { metadata }: MachineSet): boolean =>
  phaseOf({ status }) === 'Failed' && BOUND_KEYS.some(({ max }) => metadata.annotations?.[max] !== undefined);

function rankOf(machine: Machine, set: MachineSet, now: number): Array<number | string> {
  const { metadata } = machine;
  return [
    ...(isNamed(machine) || yields(machine, set) ? [0, 0] : preservation(machine, now)),
    isMarked(machine) ? FIRST_PRIORITY : priorityOf(machine),
    markedAt(machine),
    phaseRank(machine),
    conditionOf(machine, 'NodeHealthy')?.status === 'True' || conditionOf(machine, 'Ready')?.status === 'True' ? 1 : 0,
    Number.isFinite(waitOf(machine, set, now)) ? 0 : 1,
    isMigrating(machine) ? 0 : 1,
    Date.parse(metadata.creationTimestamp ?? '') || 0,
    metadata.name,
  ];
}

/** How long a machine that is ready has yet to wait until it counts as available; Infinity for any other one. */
const waitOf = (machine: Machine, set: MachineSet, now: number): number => availableIn(set, machine, now) || Infinity;

/** Preserved ones go last: those preserved by the controller before those that a person asked for, earlier expiry first. */
function preservation({ metadata, status }: Machine, now: number): [number, number] {
  const expiry = Date.parse(status?.currentStatus?.preserveExpiryTime ?? '');
  if (!(expiry > now)) return [0, 0];
  return [metadata.annotations?.[ANNOTATION_PRESERVE] === 'auto-preserved' ? 1 : 2, expiry];
}

function priorityOf({ metadata }: Machine): number {
  const text = metadata.annotations?.[ANNOTATION_PRIORITY];
  const value = Number(text);
  return text !== undefined && /^[+-]?\d+$/.test(text) ? value : USUAL_PRIORITY;
}

const markedAt = ({ metadata }: Machine): number =>
  timeOf(metadata.annotations?.[ANNOTATION_MARKED]) || Number.POSITIVE_INFINITY;

const phaseRank = (machine: Machine): number => (machine.metadata.deletionTimestamp ? 0 : phaseRow(machine).rank);

/** The driver says so: among the Node's conditions nobody could keep it. */
const isMigrating = ({ status }: Machine): boolean =>
  status?.providerConditions?.some(({ type, status: is }) => type === 'Migrating' && is === 'True') ?? false;

function compare(a: Array<number | string>, b: Array<number | string>): number {
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? 0;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * Up to when machines that a scaler marked are to go, milliseconds; NaN for never. A set that has yet to follow its
 * deployment's size waits for that: it would put another machine in the place of each that goes.
 */
export function victimsUntil(set: MachineSet, deployment: MachineDeployment | undefined): number {
  const { [ANNOTATION_DESIRED]: desired, [ANNOTATION_SCALED_BY_SCALER]: until } = set.metadata.annotations ?? {};
  const follows = deployment === undefined || desired === String(deployment.spec.replicas ?? 0);
  return follows ? timeOf(until) : Number.NaN;
}

/** Machines too many in the order of deletion, and those that go whatever the number. */
export function victims(view: MachineSetView): Machine[] {
  const { named, others, excess } = candidates(view);
  const surplus = deletionOrder(others, view.set, view.now).slice(0, excess);
  const lost = view.machines.filter((machine) => isLive(machine) && isFailedForGood(machine, view));
  return [...new Map([...surplus, ...named, ...lost].map((machine) => [machine.metadata.name, machine])).values()];
}

/**
 * A deletion for which the API server is to be asked first whose marks are which; undefined for any other decision. No watch of Machines is
 * in order with that of sets, so a size may be seen before the mark that was written for it, and a machine in use would go
 * (hack/decisions/0051 U27). Where all go no mark matters, unless machines may have moved on to another set (S29).
 */
export function unaskedChoice(
  view: MachineSetView,
  { step, outcome }: Decision<MachineSetAction>,
): MachineSetAction | undefined {
  if (step !== 'ScaledDown' || outcome.kind !== 'act' || view.listed) return undefined;
  const { named, excess } = candidates(view);
  const staying = replicasOf(view.set) > 0 || view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined;
  return staying && named.length + excess > 0 ? outcome.action : undefined;
}

/** How many machines the API server has for the set that the cache does not show: whether they run pods is unknown. */
export function unseenOf({ listed = new Map(), machines, strays }: MachineSetView): number {
  const seen = new Set([...machines, ...strays].map(({ metadata }) => metadata.uid));
  const unseen = [...listed.values()].filter(({ metadata }) => !seen.has(metadata.uid));
  return unseen.filter(({ metadata }) => !metadata.deletionTimestamp && !isArriving({ metadata, spec: {} })).length;
}

/** Who is named by a scaler, who may go beside them, and how many of these have to. */
function candidates(view: MachineSetView): { named: Machine[]; others: Machine[]; excess: number } {
  const live = view.machines.flatMap((machine) => asListed(machine, view)).filter(isLive);
  const named = live.filter((machine) => isVictim(machine, view.victimsUntil));
  // A machine that has just come from another set is counted by the deployment first (hack/spec/mcm.md 5.4). No other machine goes in the place of a named one, which may be
  // the last in the order, as one that is preserved is.
  const others = live.filter((machine) => !isArriving(machine) && !named.includes(machine));
  return { named, others, excess: Math.max(0, others.length - replicasOf(view.set)) };
}

/** The machine with the metadata that the API server has; none once it is gone, or no longer the set's. */
function asListed(machine: Machine, { listed }: MachineSetView): Machine[] {
  if (!listed) return [machine];
  const now = listed.get(machine.metadata.uid ?? '');
  return now ? [{ ...machine, metadata: now.metadata }] : [];
}
