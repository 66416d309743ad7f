import { drainReasons } from '../../drain/flow/view.ts';
import { type Code, classOf, codes } from '../../drivers/sdk/errors.ts';
import { type Decision, reasonOf } from '../../flow/flow.ts';
import { type ReasonRow, type ReasonTable, type StepTable, sharedReasons } from '../../flow/reasons.ts';
import { placingReasons } from '../../model/readiness.ts';

/** Steps of a Machine's life, in the order of the flows: when each is satisfied. */
export const steps = {
  Unpaused: 'Nobody has paused the machine.',
  SpecValid: 'Its spec can come true; what the webhook refuses is judged again.',
  Classified: 'Its class, the class’s Secrets and a driver for its provider are there.',
  FieldsSupported: 'The driver can bring about all that the spec asks for; what it cannot stops nothing.',
  Guarded: 'The finalizer is on.',
  Remembered: 'What the VM is made from stands on the machine, so that its end needs no class.',
  Placed: 'There is no target cluster, or it is there and can be read; one that leaves does not need it to be there.',
  PreservationApplied: 'The Node shows what is asked of the machine’s preservation.',
  Created: 'There is a VM, and its id is in `spec.providerID`.',
  Claimed: 'The driver has confirmed that the VM is the machine’s own; until it has, neither VM nor Node is touched.',
  Initialized: 'The driver has finished the VM; where its Node is well, the machine goes on without.',
  HotUpdated: 'The VM has the hot fields of its class, and the machine’s record says so.',
  Joined: 'The VM’s Node has registered.',
  Wanted: 'Nobody asks by an annotation of the Node that the machine goes.',
  Synced:
    'The Node carries the labels, annotations and taints that the machine asks for, and its class’s virtual capacity; none of MCM’s finalizers keeps one that is deleted.',
  InPlaceUpdated: 'No update in place is under way.',
  Healthy: 'The Node is ready, and no condition that counts speaks against it.',
  Opened: 'The start-up taint is off the Node.',
  DeletionAllowed: 'No annotation `delete.check.…` holds the deletion, by force or not.',
  Located: 'Which VM and Node are those of the machine that goes is written into it.',
  VmRetained: 'The VM is not to stay, or its driver has marked it as left on purpose.',
  Drained:
    'The pods of the Node have left, or the drain has run out of time; without a Node there is nothing to drain.',
  Detached:
    'No volume is attached that no pod on the Node uses, and after a forced drain none at all, or they have had their time.',
  VmDeleted: 'The driver says that nothing of the VM is left.',
  VolumesReleased: 'Volumes of a lost Node, whose VM is gone, are detached, or have had their time.',
  NodeDeleted:
    'The Node is gone, or it stays, and an event says so: a policy of the API server keeps it from going, or its deletion was refused for 10 minutes.',
  Released: 'The finalizer is off.',
} as const satisfies StepTable;

const own = {
  ...placingReasons,
  SpecInvalid: {
    says: 'The spec cannot come true, although nobody refused it: no VM is made of it; one that is there stays.',
    event: 'Warning',
  },
  ClassNotFound: {
    says: 'The MachineClass does not exist; made, it is used at once. A VM that is there goes on, and leaves, without it.',
    event: 'Warning',
  },
  SecretNotFound: { says: 'A Secret that the class names does not exist; made, it is used at once.', event: 'Warning' },
  RefNotPermitted: {
    says: 'The class, or what the machine remembers of it, names a Secret of another namespace: it is not read, and no driver is called.',
    event: 'Warning',
  },
  Unsupported: {
    says: 'The spec asks for what the driver of the machine cannot bring about, although nobody refused it: all else is done.',
    event: 'Warning',
  },
  ClassNotHeld: {
    says: 'The class or one of its Secrets does not carry its finalizer yet, or leaves: nothing is made from it.',
  },
  RememberClass: { says: 'The class is written down on the machine, without any data of its Secrets.' },
  ForeignProvider: { says: 'No driver here serves the provider of the class: the machine is left alone.' },
  TellPause: {
    says: 'Who has paused the machine is written into its label `vmoperator.vmware.com/paused`, or taken off.',
  },
  DeleteCheck: {
    says: 'An annotation `delete.check.…` holds the deletion, by force or not; taken off, it goes on at once.',
    event: 'Normal',
  },
  AskVm: { says: 'The driver is asked how the VM stands.', routine: true },
  PreserveNode: {
    says: 'The machine is preserved: its Node is kept from scale-down, and from new pods if it Failed.',
    event: 'Normal',
  },
  EndPreservation: { says: 'Preservation is over: what it put on the Node is taken off.', event: 'Normal' },
  ForgetPreservation: { says: 'Preservation is over: the annotations that asked for it are taken off.' },
  RecordPreserveValue: {
    says: 'The Node’s preserve annotation is noted on the machine, whose own gives way to it.',
  },
  WriteRefused: {
    says: 'The API server refuses what the step wants to write: tried again after a change, and with back-off up to 10 minutes.',
  },
  MakeToken: { says: 'A bootstrap token is made, for which the user data of the class asks.' },
  TokenFailed: { says: 'The API server made no bootstrap token: tried again with back-off.', event: 'Warning' },
  TokensUnknown: {
    says: 'The bootstrap tokens of the target cluster cannot be read yet; the controller needs to list Secrets in `kube-system`.',
    event: 'Warning',
  },
  CreateVm: { says: 'The driver is asked to make the VM.' },
  RecordVm: { says: 'The VM is there: its id and the name of its Node are written into the machine.', event: 'Normal' },
  RecordClaim: { says: 'The driver has confirmed that the VM is the machine’s: that is noted on it, with the time.' },
  ClaimVm: {
    says: 'The VM was made for this machine before a restore gave it another UID: it is claimed anew, and marked so.',
    event: 'Normal',
  },
  VMClaimedByAnother: {
    says: 'The VM that the machine names is another’s: neither the VM nor its Node is touched. Deleted, the machine goes without them.',
    event: 'Warning',
  },
  OtherInstallation: {
    says: 'The machine leaves, and its VM is marked for a machine of its namespace and name by another installation: set `--installation-id`, or `--former-installation-ids` for its namespace alone, to the id that the message names, or delete the machine by force, without the VM.',
    event: 'Warning',
  },
  ForeignVmId: {
    says: 'The machine leaves, and `spec.providerID` is no id that its driver ever gave a VM: delete it by force, unless its VM is to stay anyway; a VM of that id elsewhere stays.',
    event: 'Warning',
  },
  ControlPlaneNode: {
    says: 'The Node is a member of a control plane, and neither a mark on the VM nor somebody by hand says that it is the machine’s: nothing is done to it, and it does not go; by force the machine goes without it, and without a VM that has no mark.',
    event: 'Warning',
  },
  InitializeVm: { says: 'The driver is asked to finish the VM.' },
  BeginUpdate: { says: 'The VM is not, or may not be, as its class wants it: what will be put on it is written down.' },
  UpdateVm: { says: 'The driver is asked to bring the VM to the hot fields of its class.' },
  RepairVm: {
    says: 'The VM has lost hot fields of its class: the driver is asked to set them again.',
    event: 'Warning',
  },
  RecordUpdate: { says: 'The driver has brought the VM to the hot fields of its class.', event: 'Normal' },
  DriverWorking: { says: 'A call of the driver is in progress; its answer is waited for.' },
  WaitingForSlot: {
    says: 'As many calls of the class, or of the namespace, as allowed are in progress; one that ends makes room.',
  },
  NodeNotRegistered: { says: 'The VM is there, its Node has not registered yet.' },
  NodeIsForeign: {
    says: 'A Node of the expected name is there, and belongs to another VM, or nothing says that it is that of this one.',
    event: 'Warning',
  },
  NodeNameTaken: {
    says: 'A Node of the expected name was there before the machine, and is of another VM: the machine is Failed, and replaced.',
    event: 'Warning',
  },
  ReleaseNode: {
    says: 'Somebody deletes the Node, and it carries MCM’s finalizer: that is taken off, so that it goes; its machine is replaced after the health time-out unless the kubelet registers again.',
    event: 'Normal',
  },
  SyncNode: { says: 'The Node gets what the machine or its class asks of it and it lacks.' },
  RecordGiven: {
    says: 'The machine notes which taints, and labels that no kubelet may set, its Node has from it: before it puts them there, and when they are off.',
  },
  ReadmitNode: {
    says: 'The Node was withdrawn for a deletion of which the machine, restored from a backup since, knows nothing: it takes pods again.',
    event: 'Normal',
  },
  ReplaceLastApplied: {
    says: 'The Node’s record of what was last applied cannot be read: it is written anew, and what only it named stays on the Node.',
    event: 'Warning',
  },
  RemoveStartupTaint: { says: 'The Node is well: the taint that kept pods away until now is taken off.' },
  DeleteMachine: {
    says: 'The Node carries `node.machine.sapcloud.io/trigger-deletion-by-mcm: "true"`: its machine is deleted.',
    event: 'Normal',
  },
  NodeNotReady: { says: 'The Node is not ready, or a condition that counts speaks against it.' },
  HeartbeatsMissing: {
    says: 'The Node is ready, but no longer renews its Lease: the machine is Unknown, and not replaced for that alone.',
    event: 'Warning',
  },
  NodeMissing: { says: 'The Node of a machine that has joined is gone.' },
  CriticalComponentsNotReady: { says: 'The Node is ready, but still carries the taint of components that run first.' },
  HeldBack: {
    says: 'The machine would be given up, but another one of its MachineDeployment is being replaced or has yet to come up.',
    event: 'Warning',
  },
  ZoneBudgetSpent: {
    says: 'The machine would be given up, but as many of its namespace and zone as `--zone-replacement-budget` allows are being replaced.',
    event: 'Warning',
  },
  ZoneOutage: {
    says: 'The machine would be given up, but so many of its zone are unhealthy that it is an outage: none is replaced. One that is lost for good is deleted by hand.',
    event: 'Warning',
  },
  ZoneRecovering: {
    says: 'An outage of the machine’s zone ended a moment ago: the machine gets a while to come back.',
    event: 'Normal',
  },
  ClusterOutage: {
    says: 'The machine would be given up, but so many of its target cluster are unhealthy that it is an outage: none is replaced.',
    event: 'Warning',
  },
  ClusterRecovering: {
    says: 'An outage of the machine’s target cluster ended a moment ago: the machine gets a while to come back.',
    event: 'Normal',
  },
  MarkInPlaceUpdate: { says: 'How far the update in place is, is written into a condition of the Node.' },
  WithdrawInPlaceUpdate: { says: 'The Node is no longer to be updated in place, and was not touched yet.' },
  CordonNode: { says: 'The Node takes no new pods, for it is to be emptied.' },
  UpdatingInPlace: { says: 'The Node is empty: the agent on it updates the machine.' },
  UpdatedInPlace: { says: 'The agent on the Node has updated the machine.' },
  InPlaceUpdateFailed: {
    says: 'The agent says that the update in place failed: the machine is replaced after the health time-out.',
  },
  InPlaceUpdateTimedOut: {
    says: 'The update in place took too long: the machine is replaced after the health time-out.',
  },
  InPlaceUpdateGivenUp: { says: 'The update in place failed for good: the machine is Failed.', event: 'Warning' },
  VmVanished: { says: 'The driver no longer knows the VM: the machine is Failed, and replaced.', event: 'Warning' },
  CreationTimedOut: {
    says: 'There was no VM, or none that its driver has finished, within the creation time-out: the machine is Failed.',
    event: 'Warning',
  },
  JoinTimedOut: {
    says: 'There was no ready Node within the creation time-out: the machine is Failed.',
    event: 'Warning',
  },
  HealthTimedOut: { says: 'The Node was not well for the health time-out: the machine is Failed.', event: 'Warning' },
  PreDrainHook: {
    says: 'An annotation holds the machine before its Node is drained, or would be; taken off, it goes on.',
    event: 'Normal',
  },
  PreTerminateHook: {
    says: 'An annotation holds the machine before its VM is deleted, or left behind; taken off, it goes on.',
    event: 'Normal',
  },
  Cordon: { says: 'The Node takes no more pods: it is about to be drained.', event: 'Normal' },
  StartDrain: { says: 'The drain of the Node begins, and its clocks are written down.', event: 'Normal' },
  UpdateDrainDeadline: {
    says: 'The drain time-out was changed: the deadline of the drain follows it.',
    event: 'Normal',
  },
  ForceDrain: {
    says: 'The drain is forced from now on: by label, because its time is over, or because the Node is lost.',
    event: 'Warning',
  },
  SkipDrain: {
    says: 'An annotation of Cluster API excludes the machine from drains: its pods end with the VM, whatever their budgets say.',
    event: 'Warning',
  },
  EndDrain: { says: 'All pods have left the Node.', event: 'Normal' },
  EndForcedDrain: { says: 'The forced drain has ended: what volumes it left are detached next.', event: 'Warning' },
  AttachmentsUnknown: { says: 'The VolumeAttachments of the target cluster cannot be listed yet.', event: 'Warning' },
  ...drainReasons,
  DetachVolumes: { says: 'Volumes that are still attached to the Node are detached by force.', event: 'Warning' },
  TaintOutOfService: {
    says: 'The VM of a lost Node is gone: a taint tells Kubernetes that the Node is out of service, so that its volumes are detached.',
    event: 'Normal',
  },
  VolumesDetaching: { says: 'Volumes are being detached from the Node.', event: 'Normal' },
  SkipDetachment: {
    says: 'An annotation of Cluster API excludes the machine from the wait for its volumes: the VM goes while they may be attached.',
    event: 'Warning',
  },
  CancelCall: { says: 'A call in progress is told to give up, because the machine is leaving.' },
  DriverLettingGo: { says: 'A call that was told to give up has not ended yet.' },
  NodeOfAnother: {
    says: 'The Node of the VM is recorded as that of another machine, which is there, or in a namespace that is not looked after: the VM stays, for its Node cannot be drained, unless the machine is deleted by force.',
    event: 'Warning',
  },
  HostsController: {
    says: 'This controller runs on the VM, or that cannot be ruled out: a replica elsewhere deletes it, or this one by the annotation `drover.dev/delete-host: "true"`.',
    event: 'Warning',
  },
  OutageOver: {
    says: 'The API server answers again: clocks that stood still begin anew, with their full time.',
    event: 'Normal',
  },
  RetainVm: { says: 'The driver is asked to mark the VM as left on purpose: it stays when its machine goes.' },
  DeleteVm: { says: 'The driver is asked to delete the VM and all that it brought.', event: 'Normal' },
  VMTerminating: {
    says: 'The driver has answered the deletion of the VM, and is asked until it says that the VM is gone: Node and finalizer stay until then.',
  },
  DeleteNode: { says: 'The VM is gone: its Node is deleted.', event: 'Normal' },
} as const satisfies ReasonTable;

const follows = {
  transient: 'The driver’s call failed in a way that passes: it is tried again with back-off.',
  exhausted: 'There is no room for the VM: tried again after `--resource-exhausted-retry`.',
  permanent: 'The driver’s call failed, and somebody must act: tried again after a change, and every 10 minutes.',
  absent: 'The driver does not find what the call needs: tried again after a change, and every 10 minutes.',
  uninitialized: 'The VM is not finished: it is initialized again.',
} as const;

/** Every code but OK, which is no failure. */
const failures = (Object.keys(codes) as Code[]).filter((code) => code !== 'OK');

const ofCode = (code: Code): ReasonRow => ({ says: follows[classOf(code, '')], event: 'Warning' });

/** Why a step of a Machine's life decides; a code is that of a driver call that failed. */
export type Reason = keyof typeof sharedReasons | keyof typeof own | Code;

/** Every reason of a Machine's decisions. */
export const reasons: Readonly<Record<Reason, ReasonRow>> = {
  ...sharedReasons,
  ...own,
  RemoveFinalizer: {
    says: 'Nothing is left of the VM, or it was left on purpose: the finalizer is taken off, and the machine goes.',
    event: 'Normal',
  },
  ...(Object.fromEntries(failures.map((code) => [code, ofCode(code)])) as Record<Code, ReasonRow>),
};

/** The decision is one of those that come again and again while all is well. */
export const isRoutine = (decision: Decision<unknown>): boolean =>
  (reasons as ReasonTable)[reasonOf(decision)]?.routine ?? false;
