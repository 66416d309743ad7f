import {
  type EventTable,
  freezeReasons,
  type ReasonTable,
  type StepTable,
  selectingReasons,
  sharedReasons,
} from '../../flow/reasons.ts';
import { placingReasons } from '../../model/readiness.ts';

/** Steps of a MachineDeployment's life, in the order of the flows. */
export const steps = {
  Unpaused: 'Nobody has paused the deployment by annotation.',
  Guarded: 'The finalizer is on.',
  Selecting: 'The selector is valid and matches the labels of the template.',
  FreezeTold:
    'The deployment is frozen while one of its sets is; its label `freeze` and its condition `Frozen` tell that.',
  ChildrenReleased: 'Every set that the deployment controls is one that its selector matches.',
  Adopted: 'No set that the selector matches is without an owner.',
  Placed: 'The target cluster of the deployment’s machines is not there, or can be read.',
  Marked: 'Every machine that a scaler wants to be gone is marked.',
  RolledBack: 'No rollback is asked for in `spec.rollbackTo`.',
  Propagated: 'Every set says of settings that need no new machine what the deployment’s template says.',
  Templated: 'There is a set of the present template.',
  Synced: 'That set carries the deployment’s settings, and the revision is recorded.',
  Scaled: 'The sets together have the size that the deployment was last scaled to.',
  Resumed: '`spec.paused` is not set.',
  NodesPrepared: 'Pods prefer Nodes that stay, and an autoscaler leaves the Nodes alone while machines are rolled.',
  Transferred: 'Machines that were updated in place count in their new set, and their Nodes are as before.',
  Rolled: 'Every machine is of the present template.',
  Tidied: 'No more old sets are kept than `spec.revisionHistoryLimit` allows.',
  NodesReleased: 'All is rolled out, and an autoscaler may have the Nodes again.',
  CapacityTold:
    'Annotations tell what a Node is like, for an autoscaler of Cluster API’s kind that finds its bounds there, too.',
  ChildrenOrphaned: 'Nothing is to be left behind by `kubectl delete --cascade=orphan`, or it was let go.',
  Emptied: 'No set of the deployment is left.',
  Unguarded: 'The finalizer is off.',
} as const satisfies StepTable;

/** Every reason of a MachineDeployment's decisions. Each scaling of a set is told by an event of its own. */
export const reasons = {
  ...sharedReasons,
  ...placingReasons,
  ...selectingReasons,
  ...freezeReasons,
  Freeze: {
    says: 'A set of the deployment is frozen, or somebody froze it by label: it is neither rolled out nor scaled up.',
    event: 'Normal',
    eventReason: 'FrozeMachineDeployment',
  },
  Unfreeze: {
    says: 'No set of the deployment is frozen any more, or somebody ended the freeze: it goes on.',
    event: 'Normal',
    eventReason: 'UnfrozeMachineDeployment',
  },
  AskToUnfreeze: { says: 'The wish to end the freeze is passed on to a frozen set.' },
  Frozen: { says: 'The deployment is frozen: what its rollout would do next waits.', event: 'Warning' },
  SelectorEmpty: { ...selectingReasons.SelectorEmpty, eventReason: 'SelectingAll' },
  TidyVictims: {
    says: 'Machines that a scaler named and that leave, are Failed or are no machines of the deployment are taken off its list.',
  },
  MarkVictims: { says: 'Machines that a scaler wants to be gone are marked to go first.' },
  CutVictims: {
    says: 'Machines that `spec.deleteMachines` names are marked to go first, but for the last ones, whose names have no room among the annotations.',
    event: 'Warning',
  },
  RollBack: { says: 'The template goes back to that of an older set, if there is one, and the wish is taken off.' },
  CreateMachineSet: { says: 'A set of the present template is made.' },
  SyncMachineSet: {
    says: 'Settings of the deployment are written into its newest set; those that need no new machine, and what `maxSurge` allows, into older ones, too.',
  },
  RecordRevision: { says: 'The revision of the newest set is written into the deployment.' },
  Scale: { says: 'The deployment was scaled: its sets follow.' },
  DeploymentPaused: { says: '`spec.paused` is set: the deployment is scaled, but not rolled out.' },
  PrepareNodes: { says: 'Nodes of old sets get a taint that pods avoid, and an autoscaler is kept from all Nodes.' },
  MarkMachineSet: { says: 'It is written down on a set whether its Nodes carry that taint.' },
  ReleaseNodes: { says: 'An autoscaler may have the Nodes again.' },
  GrowNewMachineSet: { says: 'The newest set gets more machines.' },
  ShrinkOldMachineSets: { says: 'Older sets give up machines.' },
  RollingOut: { says: 'Machines of older templates are still there; more follows when new ones are available.' },
  OldMachinesLeaving: { says: 'A Recreate waits for the last machine of older templates to go.' },
  OpenMachineSet: { says: 'The newest set, which an update in place had stopped before, may make machines again.' },
  StopOldMachineSet: { says: 'A set of an older template makes no more machines: its machines are updated in place.' },
  MarkCandidates: { says: 'Nodes of older templates are marked as candidates for an update in place.' },
  SelectMachines: { says: 'Nodes are picked for an update in place, as many as may be missing.', event: 'Normal' },
  AwaitingSelection: { says: 'A person picks the Nodes to update in place, by label.', event: 'Normal' },
  TransferMachines: { says: 'Machines that were updated in place move into the newest set.', event: 'Normal' },
  CountTransferred: { says: 'Machines that moved between sets count where they are.' },
  EndTransfer: { says: 'Machines that have moved are marked so no longer.' },
  CleanNodes: { says: 'What an update in place left on Nodes is taken off.' },
  NoTargetCluster: { says: 'An update in place needs Nodes, and there is no target cluster.', event: 'Warning' },
  TellCapacity: { says: 'What the class says of its Nodes is written where a cluster-autoscaler reads it.' },
  DeleteOldMachineSets: { says: 'Old sets beyond the history limit are deleted.' },
  DeleteMachineSets: { says: 'The deployment is being deleted, and its sets with it.' },
  MachineSetsLeaving: { says: 'The deployment is being deleted, and waits for its sets to go.' },
} as const satisfies ReasonTable;

/** Why a step of a MachineDeployment's life decides. */
export type Reason = keyof typeof reasons;

/** Events on MachineDeployments beside those of reasons (MCM 10.1). */
export const events = {
  ScalingMachineSet: { type: 'Normal', says: 'A set was scaled.' },
  DeploymentRollback: { type: 'Normal', says: 'The template is that of an older revision again.' },
  DeploymentRollbackTemplateUnchanged: { type: 'Warning', says: 'A rollback was asked for to the present template.' },
  DeploymentRollbackRevisionNotFound: {
    type: 'Warning',
    says: 'A rollback was asked for to a revision of which there is no set.',
  },
  ProgressDeadlineExceeded: {
    type: 'Warning',
    says: 'A rollout stands still for longer than `spec.progressDeadlineSeconds`.',
  },
  NodeRefused: { type: 'Warning', says: 'A Node could not be prepared for a rollout; it goes on without.' },
  MachineSetCreateError: { type: 'Warning', says: 'A set could not be made.' },
  FailedDelete: { type: 'Warning', says: 'A set could not be deleted; all others are.' },
  FailedUpdate: {
    type: 'Warning',
    says: 'A set or machine could not be changed, scaled, taken in or let go, while all others are; or the deployment itself could not be changed.',
  },
} as const satisfies EventTable;
