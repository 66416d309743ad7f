import { LABEL_NODE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isOnlyKept } from '../../../schemas/rules/machine.ts';
import { isPreservedFailed, stands } from '../../model/machine.ts';
import { phaseOf } from '../../model/phases.ts';
import type { ReplacementHold } from '../../safety/meltdown/policy.ts';

/**
 * For how long a Machine that was allowed to fail keeps the others of its deployment or set from failing, until the caches show it
 * (hack/spec/mcm.md 6.6).
 */
const PERMIT_MS = 10_000;
/** How often it is checked whether the replacement of the others is done (hack/spec/mcm.md 6.6). */
const HELD_BACK_MS = 5_000;

/**
 * The Machine that is being replaced already, or whose replacement has yet to run: while there is one, no other Machine of the deployment
 * or set becomes Failed for being unhealthy. They are replaced one by one, so that an outage that makes many unhealthy at once costs one
 * Machine and not all.
 */
export function inTheWay(machine: Machine, herd: readonly Machine[], now: number): Machine | undefined {
  const joins = machine.metadata.labels?.[LABEL_NODE] !== undefined;
  return herd.find((other) => other.metadata.uid !== machine.metadata.uid && isBusy(other, { joins, now }));
}

/** Where machines join no cluster, the last of their phases is Available. */
function isBusy(other: Machine, { joins, now }: { joins: boolean; now: number }): boolean {
  if (other.metadata.deletionTimestamp) return !isOnlyKept(other);
  if (stands(other) || (phaseOf(other) === 'Available' && !joins)) return false;
  return !isPreservedFailed(other, now);
}

/** A machine waits for another one of its MachineDeployment, which need not be one that is replaced. */
export const behind = (name: string): ReplacementHold => ({
  reason: 'ReplacementDelayed',
  message: `one machine of a deployment is replaced at a time, and none while another comes up, is updated or goes, as "${name}" does now`,
  ms: HELD_BACK_MS,
});

/**
 * Which Machine may become Failed next, by deployment or set: what one reconcile decided counts for the next one, before any cache shows
 * it.
 */
export class Permits {
  readonly #taken = new Map<string, { uid: string; name: string; until: number }>();

  /** @param now on the monotonic clock, here and below */
  take(herd: string, { metadata: { uid = '', name } }: Machine, now: number): void {
    this.#taken.set(herd, { uid, name, until: now + PERMIT_MS });
  }

  /** The name of another Machine that has the permit of the deployment or set. */
  otherHolderOf(herd: string, { metadata }: Machine, now: number): string | undefined {
    const permit = this.#taken.get(herd);
    if (permit && permit.until <= now) this.#taken.delete(herd);
    return permit && permit.until > now && permit.uid !== metadata.uid ? permit.name : undefined;
  }
}
