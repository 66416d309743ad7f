import type { Environment } from '../framework/environment.ts';
import { halfOfTheRest } from '../runtime/fairness/bounds.ts';
import type { Sharing } from '../runtime/fairness/sharing.ts';
import { Slots } from '../runtime/fairness/slots.ts';

/** What lanes depend on. */
interface LanesOptions extends Pick<Environment, 'clock' | 'settings'> {
  /** How many targets are followed. */
  targets: { readonly count: number };
}

/**
 * Bounds how many workers of one loop wait for target clusters at a time, which may take as long as they like to answer: an
 * eighth for each target, and for all targets of a namespace half of what other namespaces
 * leave (hack/decisions/0045). With one target, or one namespace, there is nobody to leave any to. Asked for by `laneOf` of model/target.ts.
 */
export function targetLanes(
  { clock, settings, targets }: LanesOptions,
  woken: { wake: (key: string) => void; sharing: Sharing },
): Slots {
  const all = settings.concurrentSyncs;
  const isShared = () => targets.count > 1;
  const ofTarget = () => (isShared() ? Math.max(2, Math.ceil(all / 8)) : all);
  const isOfMany = () => isShared() && settings.namespace === '';
  const ofNamespace = (others: number) => (isOfMany() ? halfOfTheRest(all, others) : Infinity);
  return new Slots({ clock, bounds: [{ most: ofTarget }, { most: ofNamespace }], ...woken });
}
