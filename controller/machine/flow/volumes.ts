import { EXCLUDE_VOLUME_WAIT } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { LOOK_MS, podsUnknown } from '../../drain/flow/plan.ts';
import type { DrainView } from '../../drain/flow/view.ts';
import { act, named, pass, wait } from '../../flow/flow.ts';
import { lacking } from '../../nodes/change.ts';
import { timestamp } from '../../runtime/k8s/object.ts';
import { deletionBegun, detachesLast } from './drain.ts';
import type { Answer } from './drivercall.ts';
import { deletionOf } from './outage.ts';
import { isExcluded, isForced } from './predicates.ts';
import type { MachineView } from './view.ts';

/**
 * Before the VM is deleted, no volume is attached that no pod on the Node uses, or the wait for it has timed out (hack/spec/cluster-api.md
 * A2.3): so no volume is torn away, even if this process never saw its pod leave. After a forced drain the volumes are detached, too
 * (hack/spec/mcm.md 6.7, S3), except those of pods that a drain skips: these write to them until the VM is gone, unless the label says not
 * to wait for volumes.
 */
export function volumesDetached(view: MachineView): Answer {
  const { drain, machine } = view;
  if (!drain || deletionBegun(view)) return pass;
  const byForce = endedByForce(machine);
  if (byForce && detachesLast(view)) return pass;
  const isAwaited = !isExcluded(machine, EXCLUDE_VOLUME_WAIT);
  const spares = !isForced(machine);
  const isRead = !byForce || (spares && drain.attachments?.some(({ unsure }) => unsure));
  if (isAwaited && isRead && drain.lookUp.length > 0)
    return act('GetVolumes', { do: 'drain', action: { do: 'lookUpClaims', claims: drain.lookUp } });
  // Who uses a volume, and is skipped, nobody knows before pods and rules are listed.
  const known = byForce && spares && !drain.podsKnown ? undefined : drain.attachments;
  const left = known?.filter(({ used, spared }) => (byForce ? !(spared && spares) : !used));
  if (left?.length === 0 || (!left && !byForce && showsNone(view))) return pass;
  const deadline = deletionOf(machine)?.detachDeadline;
  if (!isAwaited) return unawaited(view, drain);
  return deadline
    ? detaching(view, left, { deadline: Date.parse(deadline), step: 'VolumesDetached', spares })
    : act('VolumesDetaching', timed(view, drain));
}

/** The time that volumes have is over at once, and that is final. */
function unawaited(view: MachineView, drain: DrainView): Answer {
  const { machine, now } = view;
  if (Date.parse(deletionOf(machine)?.detachDeadline ?? '') <= now) return pass;
  const limits = { ...drain.limits, detachMs: 0 };
  const says = `the annotation ${EXCLUDE_VOLUME_WAIT} says so`;
  return act('VolumeDetachSkipped', timed(view, { ...drain, limits }), says);
}

/**
 * The volumes of a lost Node once its VM is gone: kube-controller-manager takes them, and pods, off a Node that is out of service
 * (https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown).
 */
export function volumesReleased(view: MachineView): Answer {
  const { drain, machine, node, now, refused } = view;
  if (!drain || node.at !== 'present' || node.deleting || !endedByForce(machine)) return pass;
  const left = drain.attachments;
  if (left?.length === 0 || (!left && showsNone(view))) return pass;
  const deadline = Date.parse(deletionOf(machine)?.detachDeadline ?? '');
  if (Number.isNaN(deadline)) return act('VolumesDetaching', timed(view, drain));
  if (deadline <= now) return pass;
  const change = lacking(node.object, { taints: { add: [OUT_OF_SERVICE] } });
  if (change && !refused.has('VolumesReleased')) return act('TaintOutOfService', { do: 'changeNode', change });
  return detaching(view, left, { deadline, step: 'VolumesReleased', spares: false });
}

/** What Kubernetes' documentation has people put on a Node that is known to be off. */
const OUT_OF_SERVICE = {
  key: 'node.kubernetes.io/out-of-service',
  value: 'nodeshutdown',
  effect: 'NoExecute',
} as const;

function detaching(
  view: MachineView,
  left: DrainView['attachments'],
  { deadline, step, spares }: { deadline: number; step: string; spares: boolean },
): Answer {
  const { machine, now, refused, drain } = view;
  const ms = deadline - now;
  if (ms <= 0) return pass;
  if (!left && drain?.podsKnown === false) return podsUnknown(drain);
  if (!left) return wait('VolumeAttachmentsUnknown', ms);
  const isAsked = !endedByForce(machine) || refused.has(step);
  const isOthers = ({ unsure }: { unsure?: true }) => unsure && spares;
  const names = isAsked ? [] : left.filter((one) => !one.leaving && !isOthers(one)).map(({ name }) => name);
  if (names.length > 0) return act('DetachVolumes', { do: 'deleteAttachments', names });
  return wait('VolumesDetaching', Math.min(LOOK_MS, ms), named(left.map(({ name }) => name)));
}

/** The drain ended at its deadline, or after it: one that leaves volumes behind moves that to its end. */
function endedByForce(machine: Machine): boolean {
  const { deadline, endedAt } = deletionOf(machine)?.drain ?? {};
  return Boolean(endedAt && deadline && Date.parse(endedAt) >= Date.parse(deadline));
}

/** Where attachments cannot be listed, the Node's own list tells whether there is anything to wait for. */
const showsNone = ({ node }: MachineView): boolean =>
  node.at !== 'present' || (node.object.status?.volumesAttached ?? []).length === 0;

/** The time that volumes have stands on record before it begins. */
function timed({ machine, now }: MachineView, { limits }: DrainView) {
  const startedAt = machine.metadata.deletionTimestamp;
  const isOthers = machine.status?.deletion && !deletionOf(machine);
  const detachDeadline = timestamp(now + limits.detachMs);
  return {
    do: 'recordDeletion',
    deletion: {
      startedAt,
      detachDeadline,
      ...(isOthers && { drain: null, detachElapsedSeconds: null, heldSince: null }),
    },
  } as const;
}
