import type { Machine } from '../../schemas/machine.ts';
import type { Phase } from '../../schemas/machinestatus.ts';

/**
 * Phases of a Machine: what follows from what, and what is so of a Machine in each. Whoever decides by phases asks this table, so that a
 * new one is thought of everywhere (hack/spec/mcm.md 1.2, 6.2 to 6.7).
 */
interface PhaseRow {
  /** Phases that may come next, beside Failed and Terminating, which may come from all others. */
  next: readonly Phase[];
  /** How its Machine counts among those that ran, in its zone; absent where it says nothing of that. */
  health?: 'healthy' | 'unhealthy';
  /** It has not come up yet. */
  coming?: true;
  /** It has come up, well or not: only beside such may one be given up (hack/spec/mcm.md 6.6, Annex B "Meltdown"). */
  stands?: true;
  /** The phase lasts only so long: then its Machine is given up, or the next phase comes. */
  limited?: true;
  /** Nobody wishes it: the deciding reason tells of it. */
  unwished?: true;
  /** While its Node is not well it is Unknown; one of the others is, or stays, Pending. */
  falls?: true;
  /** Of such it may be decided that they are given up for being unhealthy. */
  endsInFailed?: true;
  /** A silent Node makes it Unknown, before it is unhealthy. */
  suspected?: true;
  /** An agent is to update it in place, or has failed to. */
  updating?: true;
  /** It does not change its set. */
  bound?: true;
  /** The lower, the sooner it goes when a set is scaled down (hack/spec/mcm.md 5.5). */
  rank: number;
}

const JOINED: readonly Phase[] = ['Available', 'Running'];
const IN_PLACE: readonly Phase[] = ['InPlaceUpdating', 'InPlaceUpdateSuccessful', 'InPlaceUpdateFailed'];
/** What a Machine may be found in that has its VM: after a restore nothing is known of before. */
const WITH_VM: readonly Phase[] = ['Pending', ...JOINED, ...IN_PLACE];

/** The last rank: an update in place is no reason to go first (hack/decisions/0000 3). */
const LAST = 6;

/** A row for each phase. Two whose updates in place failed would wait for each other for ever, so these stand as well (hack/decisions/0000 3). */
export const phases: Readonly<Record<Phase, PhaseRow>> = {
  '': { next: ['CrashLoopBackOff', ...WITH_VM], coming: true, rank: 0 },
  Pending: { next: ['CrashLoopBackOff', ...WITH_VM], coming: true, rank: 4 },
  CrashLoopBackOff: { next: WITH_VM, coming: true, unwished: true, rank: 2 },
  Available: {
    next: ['Pending', 'CrashLoopBackOff', 'Unknown', ...JOINED],
    health: 'healthy',
    falls: true,
    endsInFailed: true,
    rank: 5,
  },
  Running: {
    next: ['Pending', 'CrashLoopBackOff', 'Unknown', 'Available', ...IN_PLACE],
    health: 'healthy',
    stands: true,
    falls: true,
    endsInFailed: true,
    suspected: true,
    rank: LAST,
  },
  Unknown: {
    next: ['Pending', 'CrashLoopBackOff', ...JOINED, ...IN_PLACE],
    health: 'unhealthy',
    stands: true,
    limited: true,
    unwished: true,
    falls: true,
    endsInFailed: true,
    suspected: true,
    rank: 3,
  },
  InPlaceUpdating: {
    next: ['Pending', 'Unknown', ...JOINED, ...IN_PLACE],
    health: 'healthy',
    limited: true,
    updating: true,
    bound: true,
    rank: LAST,
  },
  InPlaceUpdateSuccessful: {
    next: ['Pending', 'Unknown', ...JOINED, ...IN_PLACE],
    health: 'healthy',
    falls: true,
    rank: LAST,
  },
  InPlaceUpdateFailed: {
    next: ['Pending', 'Unknown', ...JOINED, ...IN_PLACE],
    health: 'unhealthy',
    stands: true,
    limited: true,
    unwished: true,
    endsInFailed: true,
    updating: true,
    bound: true,
    rank: LAST,
  },
  Failed: { next: [...JOINED, ...IN_PLACE], unwished: true, bound: true, rank: 1 },
  Terminating: { next: [], bound: true, rank: 0 },
};

/** A phase of a later version, or of MCM's to come: nothing is known of it, but that its Machine may have a living Node. */
const OTHER: PhaseRow = { next: [], rank: LAST };

/** The row of the Machine's phase. */
export const phaseRow = (machine: Pick<Machine, 'status'>): PhaseRow => rowOf(phaseOf(machine));

/** The row of a phase that a status tells. */
export const rowOf = (phase: string): PhaseRow => (Object.hasOwn(phases, phase) ? phases[phase as Phase] : OTHER);

/** The phase in the status of the Machine, empty before it has one. */
export const phaseOf = ({ status }: Pick<Machine, 'status'>): string => status?.currentStatus?.phase ?? '';
