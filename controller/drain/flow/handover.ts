import { act, pass, wait } from '../../flow/flow.ts';
import { named } from '../../flow/naming.ts';
import type { DrainOutcome, DrainView } from './view.ts';

/** How often the way of volumes is looked at: nothing else tells that a Node's list of attached volumes changed. */
const LOOK_MS = 5_000;

/**
 * The volumes of the pod that left last are gone from the Node, and attached elsewhere or out of time: the next pod may
 * leave (MCM 7.4). That they stay attached here is a failure that the drain remembers, that nobody takes them is none. Where nobody is to
 * wait for volumes, that does not begin, or ends.
 */
export function handOver(view: DrainView): DrainOutcome {
  const { handover, now, volumesUnawaited } = view;
  if (volumesUnawaited) return handover ? act('VolumesMoved', { do: 'endHandover', late: false }) : pass;
  if (!handover) return strayed(view);
  const { pod, here, elsewhere, detachBy, reattachBy } = handover;
  if (here) {
    if (now >= detachBy) return act('VolumesMoved', { do: 'endHandover', late: true });
    return wait('VolumesMoving', Math.min(LOOK_MS, detachBy - now), `volumes of ${pod} are still attached`);
  }
  if (elsewhere) return act('VolumesMoved', { do: 'endHandover', late: false });
  if (reattachBy === undefined) return act('VolumesMoving', { do: 'noteDetached' });
  if (now >= reattachBy) return act('VolumesMoved', { do: 'endHandover', late: false });
  return wait('VolumesMoving', Math.min(LOOK_MS, reattachBy - now), `volumes of ${pod} are not attached elsewhere yet`);
}

/** Volumes of a pod that left before anybody looked, or that nobody remembers: they come off the Node, or have had their time. */
function strayed({ strays, now }: DrainView): DrainOutcome {
  if (!strays) return pass;
  const { volumes, detachBy } = strays;
  if (now >= detachBy) return act('VolumesMoved', { do: 'giveUpVolumes', volumes });
  return wait(
    'VolumesMoving',
    Math.min(LOOK_MS, detachBy - now),
    `volumes of no pod are still attached: ${named(volumes)}`,
  );
}
