import { shareOf } from '../../runtime/fairness/bounds.ts';
import { Slots } from '../../runtime/fairness/slots.ts';
import { refOf } from '../../runtime/k8s/object.ts';
import type { Result } from '../../runtime/queue/loop.ts';
import type { LoopParts } from '../../state/deps.ts';
import { flowOfKey } from '../../state/flows.ts';

/** So many lists of VMs one driver is asked for at once: one that hangs does so for five minutes. */
export const LISTS = 8;

/** What sweeps in lanes need. */
export interface LanesOptions extends Pick<LoopParts, 'clock'> {
  /** The classes of many namespaces are swept. */
  isShared: boolean;
  /** Tells that a class may be swept now. */
  wake: (key: string) => void;
}

/** The sweeps of one driver's classes, or of clusters. */
export interface Sweeps {
  /** Whether the class is this driver's: only then is anything listed. */
  serves(key: string): boolean;
  sweep(key: string): Promise<Result>;
}

/**
 * Sweeps of one driver's classes, or of clusters, of which those of one namespace are at most half of what other namespaces leave (hack/decisions/0045):
 * a tenant whose lists hang holds up nobody else's. A class that has to wait is woken in its turn.
 */
export function sweepInLanes({ clock, isShared, wake }: LanesOptions, sweeps: Sweeps): Sweeps['sweep'] {
  const most = (others: number) => shareOf(LISTS, others, isShared);
  const askerOf = (key: string) => ({ priority: 0, flow: flowOfKey(key) });
  const lanes = new Slots({ clock, bounds: [{ most }], wake, sharing: { askerOf, levelOf: (level) => level } });
  return async (key) => {
    if (!sweeps.serves(key)) {
      lanes.leave(key);
      return sweeps.sweep(key);
    }
    const leave = lanes.enter({ key, groups: [refOf(key).namespace ?? ''] });
    if (!leave) return {};
    return sweeps.sweep(key).finally(leave);
  };
}
