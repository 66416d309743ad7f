import type { LoopParts } from './loops.ts';
import { refOf } from './runtime/object.ts';
import { halfOfTheRest } from './runtime/partyshare.ts';
import { Places, type Sharing } from './runtime/places.ts';

/**
 * Bounds how many workers of one loop wait for target clusters at a time, which may take as long as they like to answer: an
 * eighth for each target (rooms are the keys of Clusters), and for all targets of a namespace half of what other namespaces
 * leave (hack/decisions/0045). With one target, or one namespace, there is nobody to leave any to.
 */
export function targetLanes(
  { clock, settings, targets }: Pick<LoopParts, 'clock' | 'settings' | 'targets'>,
  woken: { wake: (key: string) => void; sharing: Sharing },
): Places {
  const all = settings.concurrentSyncs;
  const isShared = () => targets.count > 1;
  const most = () => (isShared() ? Math.max(2, Math.ceil(all / 8)) : all);
  const isOfMany = () => isShared() && settings.namespace === '';
  const parties = {
    partyOf: (key: string) => refOf(key).namespace ?? '',
    most: (others: number) => (isOfMany() ? halfOfTheRest(all, others) : Infinity),
  };
  return new Places({ clock, most, parties, ...woken });
}
