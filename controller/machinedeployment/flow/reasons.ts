import {
  type EventTable,
  freezeReasons,
  type ReasonTable,
  type StepTable,
  selectingReasons,
  sharedReasons,
} from '../../flow/flow.ts';
import { placingReasons } from '../../model/readiness.ts';

/** Steps of a MachineDeployment's life, in the order of the flows. */
export const steps = {
  Paused: 'Nobody has paused the deployment by annotation.',
  FinalizerAdded: 'The finalizer is on.',
  SelectorValid: 'The selector is valid and matches the labels of the template.',
  FreezeSynced:
    'The deployment is frozen while one of its sets is; its label `freeze` and its condition `Frozen` tell that.',
  ChildrenReleased: 'Every set that the deployment controls is one that its selector matches.',
  ChildrenAdopted: 'No set that the selector matches is without an owner.',
  ClusterReachable: 'The target cluster of the deployment’s machines is not there, or can be read.',
  VictimsMarked: 'Every machine that a scaler wants to be gone is marked.',
  RolledBack: 'No rollback is asked for in `spec.rollbackTo`.',
  TemplatePropagated: 'Every set says of settings that need no new machine what the deployment’s template says.',
  NewMachineSetFound: 'There is a set of the present template.',
  NewMachineSetSynced: 'That set carries the deployment’s settings, and the revision is recorded.',
  Scaled: 'The sets together have the size that the deployment was last scaled to.',
  RolloutNotPaused: '`spec.paused` is not set.',
  OldNodesTainted: 'Pods prefer Nodes that stay, and an autoscaler leaves the Nodes alone while machines are rolled.',
  MachinesTransferred: 'Machines that were updated in place count in their new set, and their Nodes are as before.',
  RolloutComplete: 'Every machine is of the present template.',
  HistoryCleanedUp: 'No more old sets are kept than `spec.revisionHistoryLimit` allows.',
  ScaleDownEnabled: 'All is rolled out, and an autoscaler may have the Nodes again.',
  CapacityAnnotated:
    'Annotations tell what a Node is like, for an autoscaler of Cluster API’s kind that finds its bounds there, too.',
  ChildrenOrphaned: 'Nothing is to be left behind by `kubectl delete --cascade=orphan`, or it was let go.',
  ChildrenDeleted: 'No set of the deployment is left.',
  FinalizerRemoved: 'The finalizer is off.',
} as const satisfies StepTable;

/** Every reason of a MachineDeployment's decisions. Each scaling of a set is told by an event of its own. */
export const reasons = {
  ...sharedReasons,
  ...placingReasons,
  ...selectingReasons,
  ...freezeReasons,
  Freeze: {
    help: 'A set of the deployment is frozen, or somebody froze it by label: it is neither rolled out nor scaled up.',
    event: 'Normal',
    eventReason: 'FrozeMachineDeployment',
  },
  Unfreeze: {
    help: 'No set of the deployment is frozen any more, or somebody ended the freeze: it goes on.',
    event: 'Normal',
    eventReason: 'UnfrozeMachineDeployment',
  },
  UnfreezeMachineSet: { help: 'The wish to end the freeze is passed on to a frozen set.' },
  Frozen: { help: 'The deployment is frozen: what its rollout would do next waits.', event: 'Warning' },
  SelectorEmpty: { ...selectingReasons.SelectorEmpty, eventReason: 'SelectingAll' },
  CleanUpVictims: {
    help: 'Machines that a scaler named and that leave, or are no machines of the deployment, are taken off its list.',
  },
  MarkVictims: { help: 'Machines that a scaler wants to be gone are marked to go first.' },
  CutVictims: {
    help: 'Machines that `spec.deleteMachines` names are marked to go first, but for the last ones, whose names have no room among the annotations.',
    event: 'Warning',
  },
  UnknownVictims: {
    help: 'The deployment has no machines of some names in `spec.deleteMachines`: these are passed over, and where its size was lowered for them others go.',
    event: 'Warning',
  },
  Rollback: {
    help: 'The template goes back to that of an older set, if there is one, and the wish is taken off.',
  },
  CreateMachineSet: { help: 'A set of the present template is made.' },
  SyncMachineSet: {
    help: 'Settings of the deployment are written into its newest set; those that need no new machine, and what `maxSurge` allows, into older ones, too.',
  },
  RecordRevision: { help: 'The revision of the newest set is written into the deployment.' },
  Scale: { help: 'The deployment was scaled: its sets follow.' },
  DeploymentPaused: { help: '`spec.paused` is set: the deployment is scaled, but not rolled out.' },
  TaintOldNodes: {
    help: 'Nodes of old sets get a taint that pods avoid, and an autoscaler is kept from all Nodes.',
  },
  AnnotateMachineSet: { help: 'It is written down on a set whether its Nodes carry that taint.' },
  EnableScaleDown: { help: 'An autoscaler may have the Nodes again.' },
  ScaleUpNewMachineSet: { help: 'The newest set gets more machines.' },
  ScaleDownOldMachineSets: { help: 'Older sets give up machines.' },
  RolloutInProgress: {
    help: 'Machines of older templates are still there; more follows when new ones are available.',
  },
  OldMachinesTerminating: { help: 'A Recreate waits for the last machine of older templates to go.' },
  EnableScaleUp: {
    help: 'The newest set, which an update in place had stopped before, may make machines again.',
  },
  DisableScaleUp: {
    help: 'A set of an older template makes no more machines: its machines are updated in place.',
  },
  LabelCandidates: { help: 'Nodes of older templates are marked as candidates for an update in place.' },
  SelectMachines: {
    help: 'Nodes are picked for an update in place, as many as may be missing.',
    event: 'Normal',
  },
  WaitingForSelection: { help: 'A person picks the Nodes to update in place, by label.', event: 'Normal' },
  TransferMachines: { help: 'Machines that were updated in place move into the newest set.', event: 'Normal' },
  SyncReplicas: { help: 'Machines that moved between sets count where they are.' },
  RemoveTransferLabels: { help: 'Machines that have moved are marked so no longer.' },
  CleanUpNodes: { help: 'What an update in place left on Nodes is taken off.' },
  NoTargetCluster: { help: 'An update in place needs Nodes, and there is no target cluster.', event: 'Warning' },
  AnnotateCapacity: { help: 'What the class says of its Nodes is written where a cluster-autoscaler reads it.' },
  DeleteOldMachineSets: { help: 'Old sets beyond the history limit are deleted.' },
  DeleteMachineSets: { help: 'The deployment is being deleted, and its sets with it.' },
  MachineSetsTerminating: { help: 'The deployment is being deleted, and waits for its sets to go.' },
} as const satisfies ReasonTable;

/** Why a step of a MachineDeployment's life decides. */
export type Reason = keyof typeof reasons;

/** Events on MachineDeployments beside those of reasons (hack/spec/mcm.md 10.1). */
export const events = {
  ScalingMachineSet: { type: 'Normal', help: 'A set was scaled.' },
  DeploymentRollback: { type: 'Normal', help: 'The template is that of an older revision again.' },
  DeploymentRollbackTemplateUnchanged: {
    type: 'Warning',
    help: 'A rollback was asked for to the present template.',
  },
  DeploymentRollbackRevisionNotFound: {
    type: 'Warning',
    help: 'A rollback was asked for to a revision of which there is no set.',
  },
  ProgressDeadlineExceeded: {
    type: 'Warning',
    help: 'A rollout stands still for longer than `spec.progressDeadlineSeconds`.',
  },
  NodeUpdateFailed: { type: 'Warning', help: 'A Node could not be prepared for a rollout; it goes on without.' },
  MachineSetCreateError: { type: 'Warning', help: 'A set could not be made.' },
  FailedDelete: { type: 'Warning', help: 'A set could not be deleted; all others are.' },
  FailedUpdate: {
    type: 'Warning',
    help: 'A set or machine could not be changed, scaled, taken in or let go, while all others are; or the deployment itself could not be changed.',
  },
} as const satisfies EventTable;
