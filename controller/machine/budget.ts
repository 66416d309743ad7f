import type { Machine } from '../../schemas/machine.ts';
import { isPreservedFailed } from '../preserve.ts';

/** How long a Machine that may be given up keeps the others of its herd from it, while caches learn of it (MCM 6.6). */
const PERMIT_MS = 10_000;

/**
 * Phases of machines that stand, well or not: only beside such may one be given up (MCM 6.6, Annex B "Meltdown"). Two
 * whose updates in place failed would wait for each other for ever, so these stand as well (decisions 3).
 */
const STANDING: ReadonlySet<string> = new Set(['Running', 'Unknown', 'InPlaceUpdateFailed']);

/**
 * The Machine that is being replaced already, or has yet to come up: while there is one, no other of the herd is given up
 * for ill health. One by one, so that an outage, which makes many ill at once, costs one machine and not the herd.
 */
export function inTheWay(machine: Machine, herd: readonly Machine[], now: number): Machine | undefined {
  return herd.find((other) => other.metadata.uid !== machine.metadata.uid && isBusy(other, now));
}

function isBusy(other: Machine, now: number): boolean {
  if (other.metadata.deletionTimestamp) return true;
  return !STANDING.has(other.status?.currentStatus?.phase ?? '') && !isPreservedFailed(other, now);
}

/** Who may be given up next, by herd: what one pass decided counts for the next one, before any cache shows it. */
export class Permits {
  readonly #taken = new Map<string, { uid: string; name: string; until: number }>();

  /** @param now milliseconds since the epoch */
  take(herd: string, { metadata: { uid = '', name } }: Machine, now: number): void {
    this.#taken.set(herd, { uid, name, until: now + PERMIT_MS });
  }

  /** The name of another Machine that has the herd's permit. */
  heldAgainst(herd: string, { metadata }: Machine, now: number): string | undefined {
    const permit = this.#taken.get(herd);
    if (permit && permit.until <= now) this.#taken.delete(herd);
    return permit && permit.until > now && permit.uid !== metadata.uid ? permit.name : undefined;
  }
}
