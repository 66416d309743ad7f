import { drainReasons } from '../../drain/flow/view.ts';
import { type Code, classOf, codes } from '../../drivers/sdk/errors.ts';
import { type Decision, type ReasonRow, type ReasonTable, reasonOf, sharedReasons } from '../../flow/flow.ts';
import { placingReasons } from '../../model/readiness.ts';

const own = {
  ...placingReasons,
  SpecInvalid: {
    help: 'The spec cannot come true, although nobody refused it: no VM is made of it; one that is there stays.',
    event: 'Warning',
  },
  ClassNotFound: {
    help: 'The MachineClass does not exist; made, it is used at once. A machine that remembers it (each that Drover gave a VM) goes on, and leaves, without it; any other that may have a VM waits, also by force.',
    event: 'Warning',
    stays: true,
  },
  SecretNotFound: {
    help: 'A Secret that the class names does not exist; made, it is used at once.',
    event: 'Warning',
    stays: true,
  },
  RefNotPermitted: {
    help: 'The class, or what the machine remembers of it, names a Secret of another namespace: it is not read, and no driver is called.',
    event: 'Warning',
    stays: true,
  },
  Unsupported: {
    help: 'The spec asks for what the driver of the machine cannot bring about, although nobody refused it: everything else is reconciled.',
    event: 'Warning',
  },
  ClassFinalizerMissing: {
    help: 'The class or one of its Secrets does not carry its finalizer yet, or leaves: nothing is made from it.',
  },
  RecordClass: { help: 'The class is written down on the machine, without any data of its Secrets.' },
  NoDriverForProvider: {
    help: 'No driver here serves the provider of the class: the machine is left alone.',
    stays: true,
  },
  LabelPause: {
    help: 'Who has paused the machine is written into its label `vmoperator.vmware.com/paused`, or taken off.',
  },
  DeletionCheckPending: {
    help: 'An annotation `delete.check.…` holds the deletion, by force or not; taken off, it goes on at once.',
    event: 'Normal',
    stays: true,
  },
  GetVMStatus: { help: 'The driver is asked how the VM stands.', routine: true },
  PreserveNode: {
    help: 'The machine is preserved: its Node is kept from scale-down, and from new pods if it Failed.',
    event: 'Normal',
  },
  EndPreservation: { help: 'Preservation is over: what it put on the Node is taken off.', event: 'Normal' },
  RemovePreserveAnnotations: { help: 'Preservation is over: the annotations that asked for it are taken off.' },
  RecordPreserveValue: {
    help: 'The Node’s preserve annotation is noted on the machine, whose own gives way to it.',
  },
  WriteRefused: {
    help: 'The API server refuses what the step wants to write: tried again after a change, and with back-off up to 10 minutes.',
  },
  CreateBootstrapToken: { help: 'A bootstrap token is made, for which the user data of the class asks.' },
  BootstrapTokenFailed: {
    help: 'The API server made no bootstrap token: tried again with back-off.',
    event: 'Warning',
  },
  BootstrapTokensUnknown: {
    help: 'The bootstrap tokens of the target cluster cannot be read yet; the controller needs to list Secrets in `kube-system`.',
    event: 'Warning',
  },
  CreateVM: { help: 'The driver is asked to make the VM.' },
  RecordVM: {
    help: 'The VM is there: its id and the name of its Node are written into the machine.',
    event: 'Normal',
  },
  RecordVMClaim: {
    help: 'The driver has confirmed that the VM is the machine’s: that is noted on it, with the time.',
  },
  ClaimVM: {
    help: 'The VM was made for this machine before a restore gave it another UID: it is claimed anew, and marked so.',
    event: 'Normal',
  },
  VMClaimedByAnother: {
    help: 'The VM that the machine names is another’s: neither the VM nor its Node is touched. Deleted, the machine goes without them.',
    event: 'Warning',
  },
  VMOfAnotherInstallation: {
    help: 'The machine leaves, and its VM is marked for a machine of its namespace and name by another installation: set `--installation-id`, or `--former-installation-ids` for its namespace alone, to the id that the message names, or delete the machine by force, without the VM.',
    event: 'Warning',
    stays: true,
  },
  ProviderIDInvalid: {
    help: 'The machine leaves, and `spec.providerID` is no id that its driver ever gave a VM: delete it by force, unless its VM is to stay anyway; a VM of that id elsewhere stays.',
    event: 'Warning',
    stays: true,
  },
  ControlPlaneNode: {
    help: 'The Node is a control plane Node, and neither a mark on the VM nor somebody by hand says that it is the machine’s: nothing is done to it, and it does not go; by force the machine goes without it, and without a VM that has no mark.',
    event: 'Warning',
    stays: true,
  },
  InitializeVM: { help: 'The driver is asked to finish the VM.' },
  BeginVMUpdate: {
    help: 'The VM is not, or may not be, as its class wants it: what will be put on it is written down.',
  },
  UpdateVM: { help: 'The driver is asked to bring the VM to the hot fields of its class.' },
  RepairVM: {
    help: 'The VM has lost hot fields of its class: the driver is asked to set them again.',
    event: 'Warning',
  },
  RecordVMUpdate: { help: 'The driver has brought the VM to the hot fields of its class.', event: 'Normal' },
  DriverCallInProgress: { help: 'A call of the driver is in progress; its answer is waited for.' },
  WaitingForDriverSlot: {
    help: 'As many calls of the class, or of the namespace, as allowed are in progress; one that ends makes room.',
  },
  NodeNotRegistered: { help: 'The VM is there, its Node has not registered yet.' },
  NodeNotOwned: {
    help: 'A Node of the expected name is there, and belongs to another VM, or nothing says that it is that of this one.',
    event: 'Warning',
  },
  NodeNameTaken: {
    help: 'A Node of the expected name was there before the machine, and is of another VM: the machine is Failed, and replaced.',
    event: 'Warning',
  },
  ReleaseNode: {
    help: 'Somebody deletes the Node, and it carries MCM’s finalizer: that is taken off, so that it goes; its machine is replaced after the health time-out unless the kubelet registers again.',
    event: 'Normal',
  },
  SyncNode: { help: 'The Node gets what the machine or its class asks of it and it lacks.' },
  RecordNodeTemplate: {
    help: 'The machine notes which taints, and labels that no kubelet may set, its Node has from it: before it puts them there, and when they are off.',
  },
  UncordonNode: {
    help: 'The Node was withdrawn for a deletion of which the machine, restored from a backup since, knows nothing: it takes pods again.',
    event: 'Normal',
  },
  ReplaceLastApplied: {
    help: 'The Node’s record of what was last applied cannot be read: it is written anew, and what only it named stays on the Node.',
    event: 'Warning',
  },
  RemoveStartupTaint: { help: 'The Node is well: the taint that kept pods away until now is taken off.' },
  DeleteMachine: {
    help: 'The Node carries `node.machine.sapcloud.io/trigger-deletion-by-mcm: "true"`: its machine is deleted.',
    event: 'Normal',
  },
  NodeNotReady: { help: 'The Node is not ready, or a condition that counts speaks against it.' },
  NodeLeaseExpired: {
    help: 'The Node is ready, but no longer renews its Lease: the machine is Unknown, and not replaced for that alone.',
    event: 'Warning',
  },
  NodeNotFound: { help: 'The Node of a machine that has joined is gone.' },
  CriticalComponentsNotReady: {
    help: 'The Node is ready, but still carries the taint of components that run first.',
  },
  ReplacementDelayed: {
    help: 'The machine would be given up, but another one of its MachineDeployment is being replaced or has yet to come up.',
    event: 'Warning',
  },
  ZoneBudgetExhausted: {
    help: 'The machine would be given up, but as many of its namespace and zone as `--zone-replacement-budget` allows are being replaced.',
    event: 'Warning',
  },
  ZoneOutage: {
    help: 'The machine would be given up, but so many of its zone are unhealthy that it is an outage: none is replaced. One that is lost for good is deleted by hand.',
    event: 'Warning',
  },
  ZoneRecovering: {
    help: 'An outage of the machine’s zone ended a moment ago: the machine gets a while to come back.',
    event: 'Normal',
  },
  ClusterOutage: {
    help: 'The machine would be given up, but so many of its target cluster are unhealthy that it is an outage: none is replaced.',
    event: 'Warning',
  },
  ClusterRecovering: {
    help: 'An outage of the machine’s target cluster ended a moment ago: the machine gets a while to come back.',
    event: 'Normal',
  },
  UpdateNodeCondition: { help: 'How far the update in place is, is written into a condition of the Node.' },
  CancelInPlaceUpdate: { help: 'The Node is no longer to be updated in place, and was not touched yet.' },
  InPlaceUpdating: { help: 'The Node is empty: the agent on it updates the machine.' },
  InPlaceUpdateSuccessful: { help: 'The agent on the Node has updated the machine.' },
  InPlaceUpdateFailed: {
    help: 'The agent says that the update in place failed: the machine is replaced after the health time-out.',
  },
  InPlaceUpdateTimedOut: {
    help: 'The update in place took too long: the machine is replaced after the health time-out.',
  },
  InPlaceUpdateAbandoned: { help: 'The update in place failed for good: the machine is Failed.', event: 'Warning' },
  VMNotFound: { help: 'The driver no longer knows the VM: the machine is Failed, and replaced.', event: 'Warning' },
  CreationTimedOut: {
    help: 'There was no VM, or none that its driver has finished, within the creation time-out: the machine is Failed.',
    event: 'Warning',
  },
  RegistrationTimedOut: {
    help: 'There was no ready Node within the creation time-out: the machine is Failed.',
    event: 'Warning',
  },
  HealthTimedOut: {
    help: 'The Node was not well for the health time-out: the machine is Failed.',
    event: 'Warning',
  },
  WaitingForPreDrainHook: {
    help: 'An annotation holds the machine before its Node is drained, or would be; taken off, it goes on.',
    event: 'Normal',
    stays: true,
  },
  WaitingForPreTerminateHook: {
    help: 'An annotation holds the machine before its VM is deleted, or left behind; taken off, it goes on.',
    event: 'Normal',
    stays: true,
  },
  CordonNode: { help: 'The Node takes no more pods: it is about to be drained.', event: 'Normal' },
  StartDrain: { help: 'The drain of the Node begins, and its clocks are written down.', event: 'Normal' },
  RestartDrain: { help: 'The Node takes pods again after its drain: it is drained anew.', event: 'Warning' },
  UpdateDrainDeadline: { help: 'The drain time-out was changed: the deadline follows it.', event: 'Normal' },
  ForceDrain: {
    help: 'The drain is forced from now on: by label, because its time is over, or because the Node is lost.',
    event: 'Warning',
  },
  DrainSkipped: {
    help: 'An annotation of Cluster API excludes the machine from drains: its pods end with the VM, whatever their budgets say.',
    event: 'Warning',
  },
  DrainSucceeded: { help: 'All pods have left the Node.', event: 'Normal' },
  ForcedDrainEnded: {
    help: 'The forced drain has ended: what volumes it left are detached next.',
    event: 'Warning',
  },
  VolumeAttachmentsUnknown: {
    help: 'The VolumeAttachments of the target cluster cannot be listed yet.',
    event: 'Warning',
  },
  ...drainReasons,
  DetachVolumes: {
    help: 'Volumes that are still attached to the Node are detached by force.',
    event: 'Warning',
  },
  TaintOutOfService: {
    help: 'The VM of a lost Node is gone: a taint tells Kubernetes that the Node is out of service, so that its volumes are detached.',
    event: 'Normal',
  },
  VolumesDetaching: { help: 'Volumes are being detached from the Node.', event: 'Normal' },
  VolumeDetachSkipped: {
    help: 'An annotation of Cluster API excludes the machine from the wait for its volumes: the VM goes while they may be attached.',
    event: 'Warning',
  },
  CancelDriverCall: { help: 'A call in progress is told to give up, because the machine is leaving.' },
  DriverCallCancelling: { help: 'A call that was told to give up has not ended yet.' },
  NodeOwnedByAnother: {
    help: 'The Node of the VM is recorded as that of another machine, which is there, or in a namespace that is not looked after: the VM stays, for its Node cannot be drained, unless the machine is deleted by force.',
    event: 'Warning',
    stays: true,
  },
  HostOfController: {
    help: 'This controller runs on the VM, or that cannot be ruled out: a replica elsewhere deletes it, or this one by the annotation `drover.dev/delete-host: "true"`.',
    event: 'Warning',
  },
  OutageOver: {
    help: 'The API server answers again: clocks that stood still begin anew, with their full time.',
    event: 'Normal',
  },
  RetainVM: { help: 'The driver is asked to mark the VM as left on purpose: it stays when its machine goes.' },
  DeleteVM: { help: 'The driver is asked to delete the VM and all that it brought.', event: 'Normal' },
  VMTerminating: {
    help: 'The driver has answered the deletion of the VM, and is asked until it says that the VM is gone: Node and finalizer stay until then.',
  },
  DeleteNode: { help: 'The VM is gone: its Node is deleted.', event: 'Normal' },
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

const ofCode = (code: Code): ReasonRow => ({ help: follows[classOf(code, '')], event: 'Warning' });

/** Why a step of a Machine's life decides; a code is that of a driver call that failed. */
export type Reason = keyof typeof sharedReasons | keyof typeof own | Code;

/** Every reason of a Machine's decisions. */
export const reasons: Readonly<Record<Reason, ReasonRow>> = {
  ...sharedReasons,
  ...own,
  RemoveFinalizer: {
    help: 'Nothing is left of the VM, or it was left on purpose: the finalizer is taken off, and the machine goes.',
    event: 'Normal',
  },
  ...(Object.fromEntries(failures.map((code) => [code, ofCode(code)])) as Record<Code, ReasonRow>),
};

/** The decision is one of those that come again and again while all is well. */
export const isRoutine = (decision: Decision<unknown>): boolean =>
  (reasons as ReasonTable)[reasonOf(decision)]?.routine ?? false;
