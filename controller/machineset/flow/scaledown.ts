import {
  ANNOTATION_MARKED,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRIORITY,
  DELETE_MACHINE_MARKS,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { BOUND_KEYS } from '../../../schemas/rules/autoscaler.ts';
import { availableIn } from '../../model/machine.ts';

/** Priority of a Machine that names none, or none that is a number (MCM 5.5). */
const USUAL_PRIORITY = 3;

/** Priority of a Machine that a scaler wants to be gone (MCM 4.11). */
const FIRST_PRIORITY = 1;

/**
 * Phases from the first to go to the last. One without a phase has nothing to lose yet and goes with those that leave; a
 * phase that is not listed goes with Running: it has a living Node.
 */
const PHASES = ['Terminating', 'Failed', 'CrashLoopBackOff', 'Unknown', 'Pending', 'Available', 'Running'];

/**
 * Machines in the order in which they are deleted: named by a scaler, not preserved, lower priority, marked earlier, phase, not ready,
 * not available yet, migrating, older (MCM 5.5; decisions 3; KubeVirt's order among running ones). Mended: machines in an in-place update
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
  status?.currentStatus?.phase === 'Failed' && BOUND_KEYS.some(({ max }) => metadata.annotations?.[max] !== undefined);

function rankOf(machine: Machine, set: MachineSet, now: number): Array<number | string> {
  const { metadata } = machine;
  return [
    ...(isNamed(machine) || yields(machine, set) ? [0, 0] : preservation(machine, now)),
    isMarked(machine) ? FIRST_PRIORITY : priorityOf(machine),
    markedAt(machine),
    phaseRank(machine),
    isTrue(machine, 'Healthy') || isTrue(machine, 'Ready') ? 1 : 0,
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
  Date.parse(metadata.annotations?.[ANNOTATION_MARKED] ?? '') || Number.POSITIVE_INFINITY;

function phaseRank({ status, metadata }: Machine): number {
  const phase = status?.currentStatus?.phase ?? '';
  if (metadata.deletionTimestamp || phase === '') return 0;
  const rank = PHASES.indexOf(phase);
  return rank < 0 ? PHASES.length - 1 : rank;
}

/** The driver says so: among the Node's conditions nobody could keep it. */
const isMigrating = ({ status }: Machine): boolean =>
  status?.providerConditions?.some(({ type, status: is }) => type === 'Migrating' && is === 'True') ?? false;

const isTrue = ({ status }: Machine, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

function compare(a: Array<number | string>, b: Array<number | string>): number {
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? 0;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
