import { ANNOTATION_DELETE_HOST, DELETE_CHECKS, LABEL_NODE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, pass, wait } from '../../flow/flow.ts';
import type { Host } from '../../nodes/host.ts';
import { isInVain, recordingOf } from './claim.ts';
import { served } from './classresolution.ts';
import { deletionBegun } from './drain.ts';
import { type Answer, call, failureOf } from './drivercall.ts';
import type { MachineView, NodeFact } from './view.ts';
import { hasSeveralVms } from './vmdoubt.ts';

/**
 * Before a Machine is deleted it is known which VM and Node are its own: a process that crashed before that was recorded, or a canceled
 * create call, may have left both.
 */
export function vmLocated(view: MachineView): Answer {
  const { machine, node, vm, calls, refused } = view;
  const isKnown =
    node.at === 'none' || node.at === 'unknown' ? machine.spec?.providerID : machine.metadata.labels?.[LABEL_NODE];
  const isBegun = deletionBegun(view) && !isUnnamed(view) && !hasFailedUnnamed(view);
  if (isKnown || isBegun || vm.at === 'absent' || served(view).kind !== 'pass') return pass;
  // Nothing says which of them it recorded: its own goes by its token, the others are orphans.
  if (hasSeveralVms(view) || (isNotIts(view) && machine.spec?.providerID)) return pass;
  if (vm.at === 'present' && refused.has('VMLocated')) return pass;
  if (vm.at === 'present') return act('RecordVM', recordingOf(view, vm));
  if (isInVain(view)) return pass;
  const isOther = calls.inFlight && calls.inFlight.method !== 'getMachineStatus';
  return isOther || calls.inFlight?.cancelled ? pass : call(view, 'GetVMStatus', 'getMachineStatus');
}

/**
 * What came to light under its name after its deletion was asked for, of this Machine or of it before a restore: without the id on
 * record no driver can claim it, and many delete nothing (hack/decisions/0051 L109).
 */
const isUnnamed = ({ claim, machine, vm }: MachineView): boolean =>
  !machine.spec?.providerID && (claim.at === 'heir' || (claim.at === 'own' && vm.at === 'present'));

/**
 * Its deletion was asked for without an id, and failed: its VM may come to light meanwhile, and the driver may need the id (hack/decisions/0051
 * L122).
 */
const hasFailedUnnamed = ({ machine, vm, calls }: MachineView): boolean =>
  !machine.spec?.providerID &&
  vm.at === 'unknown' &&
  calls.inFlight?.method !== 'deleteMachine' &&
  failureOf(calls, ['deleteMachine']) !== undefined &&
  failureOf(calls, ['getMachineStatus']) === undefined;

/** Its providerID is another's, or no id that its driver has. */
const isNotIts = ({ claim }: MachineView): boolean => claim.at === 'others' || claim.at === 'foreign';

/** How soon it is looked whether the process still runs there (hack/spec/cluster-api.md A1.8, FIX: at least 30 s). */
const HOSTED_MS = 30_000;

/**
 * This process runs on the Machine's Node, or that cannot be ruled out (hack/spec/cluster-api.md A1.8, L3; hack/decisions/0000 7). A Node
 * that is gone, or was registered anew, rules nothing out: deleting a Node object ends no process on it.
 */
export function isHost(host: Host | undefined, { machine, node }: { machine: Machine; node: NodeFact }): boolean {
  if (!host || machine.metadata.labels?.[LABEL_NODE] !== host.name) return false;
  if (node.at === 'present') return isNodeOf(host, { uid: node.uid, bootID: node.object.status?.nodeInfo?.['bootID'] });
  // One that tells no id may be that of the VM all the same.
  if (node.at === 'foreign' && node.providerID !== '') return false;
  return isNodeOf(host, { uid: machine.status?.nodeRef?.uid });
}

/** UIDs are unique, and so are the boots of a machine; what is not known tells nothing. */
function isNodeOf(host: Host, node: { uid: string | undefined; bootID?: string | undefined }): boolean {
  if (!host.uid || !node.uid || host.uid === node.uid) return true;
  return Boolean(host.bootID) && host.bootID === node.bootID;
}

/** The VM stays while this process runs on it: the next leader, once the pod has moved elsewhere, deletes it. */
export function hosted({ isHost: hosts, machine }: MachineView): Answer | undefined {
  const { annotations, labels } = machine.metadata;
  if (!hosts || annotations?.[ANNOTATION_DELETE_HOST] === 'true') return undefined;
  const message = `this controller runs on Node "${labels?.[LABEL_NODE]}": a replica elsewhere deletes the VM, or this one if the annotation ${ANNOTATION_DELETE_HOST} is "true"`;
  return wait('HostOfController', HOSTED_MS, message);
}

/** How many checks a condition names; when these are removed, it names the next. */
const NAMED = 5;

/**
 * No check holds the deletion (hack/spec/vm-operator.md 2.3). Checks are for those who run Drover, so unlike a hook they hold what is deleted by
 * force, and what is already half gone (hack/decisions/0042).
 */
export function deletionAllowed({ machine }: MachineView): Answer {
  const keys = Object.keys(machine.metadata.annotations ?? {})
    .filter((key) => DELETE_CHECKS.some((prefix) => key.startsWith(prefix)))
    .toSorted();
  if (keys.length === 0) return pass;
  const more = keys.length > NAMED ? ` and ${keys.length - NAMED} more` : '';
  const held = keys.length === 1 ? 'the annotation' : 'the annotations';
  return wait('DeletionCheckPending', Infinity, `held by ${held} ${keys.slice(0, NAMED).join(', ')}${more}`);
}
