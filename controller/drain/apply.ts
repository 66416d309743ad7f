import { deletePod, evictPod } from './calls.ts';
import type { Attempt, DrainRequest, Drains } from './memory.ts';
import type { DrainAction, PodFact } from './view.ts';
import { volumesOf } from './volumes.ts';

/**
 * Carries out one action of the drain of this Machine's Node. Nothing is awaited: what is started wakes the Machine's key
 * when it has ended, and shows in the next view.
 */
export function applyDrain(drains: Drains, uid: string, action: DrainAction): void {
  const memory = drains.known(uid);
  if (!memory) return;
  const { request, handover } = memory;
  const { api } = request.target;
  switch (action.do) {
    case 'evictPods':
      for (const pod of action.pods) drains.start(memory, { kind: 'eviction', pod, run: persuading(request, pod) });
      return;
    case 'deletePods':
      for (const pod of action.pods)
        drains.start(memory, { kind: 'deletion', pod, run: (signal) => deletePod(api, pod, signal) });
      return;
    case 'noteDetached':
      if (handover) handover.reattachBy = drains.now() + request.limits.reattachMs;
      return;
    case 'endHandover':
      memory.handover = undefined;
      if (action.late) memory.volumesLate = true;
  }
}

/** Looks up the volumes of a pod that has some, and evicts it; one that somebody else asked to leave is only followed. */
const persuading =
  (request: DrainRequest, pod: PodFact): Attempt['run'] =>
  async (signal) => {
    const volumes = pod.serial ? { volumes: await volumesOf(request, pod, signal) } : {};
    if (pod.endsAt !== undefined) return { did: 'asked', ...volumes };
    return evictPod(request.target.api, pod, { signal, ...volumes });
  };
