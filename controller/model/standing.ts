import type { Machine } from '../../schemas/machine.ts';
import { isOnlyKept } from './holding.ts';
import { byOwner } from './ownership.ts';

/** The owners of a machine that does not stand, as an index: of a large herd only few are in the way of the others. */
export const busyByOwner = (machine: Machine): readonly string[] =>
  stands(machine) || isOnlyKept(machine) ? [] : byOwner(machine);

/**
 * Phases of machines that stand, well or not: only beside such may one be given up (MCM 6.6, Annex B "Meltdown"). Two
 * whose updates in place failed would wait for each other for ever, so these stand as well (decisions 3).
 */
const STANDING: ReadonlySet<string> = new Set(['Running', 'Unknown', 'InPlaceUpdateFailed']);

/** It has come up and does not leave. */
export const stands = (machine: Machine): boolean =>
  !machine.metadata.deletionTimestamp && STANDING.has(phaseOf(machine));

/** Its phase in its status, empty before it has one. */
export const phaseOf = ({ status }: Machine): string => status?.currentStatus?.phase ?? '';
