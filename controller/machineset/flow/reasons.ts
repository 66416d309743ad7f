import {
  type EventTable,
  freezeReasons,
  type ReasonTable,
  type StepTable,
  selectingReasons,
  sharedReasons,
} from '../../flow/flow.ts';
import { placingReasons } from '../../model/readiness.ts';

/** Steps of a MachineSet's life, in the order of the flows. */
export const steps = {
  Paused: 'Nobody has paused the set.',
  FinalizerAdded: 'The finalizer is on.',
  SelectorValid: 'The selector is valid and matches the labels of the template.',
  FreezeSynced:
    'The set is frozen while it has too many machines; its label `freeze` and its condition `Frozen` tell that.',
  ChildrenReleased: 'Every machine that the set controls is one that its selector matches.',
  ChildrenAdopted: 'No machine that the selector matches is without an owner.',
  ClusterReachable: 'The target cluster of the set’s machines is not there, or can be read.',
  TemplatePropagated: 'What the template may change on living machines is on them.',
  AutoPreserved: 'As many Failed machines are kept as the budget allows.',
  ScaledDown: 'There are no more machines than wanted, and none that failed for good.',
  SpecValid: 'Machines can be made from the template; what the webhook refuses is judged again.',
  ScaledUp: 'There are as many machines as wanted.',
  ChildrenOrphaned: 'Nothing is to be left behind by `kubectl delete --cascade=orphan`, or it was let go.',
  ChildrenDeleted: 'No machine of the set is left.',
  FinalizerRemoved: 'The finalizer is off.',
} as const satisfies StepTable;

/** Every reason of a MachineSet's decisions. What is done to machines is told by an event for each machine. */
export const reasons = {
  ...sharedReasons,
  ...placingReasons,
  ...selectingReasons,
  ...freezeReasons,
  Freeze: {
    help: 'The set has more machines than it may have, or somebody froze it by label: it makes none.',
    event: 'Normal',
    eventReason: 'FrozeMachineSet',
  },
  Unfreeze: {
    help: 'The set has no longer too many machines, or somebody ended the freeze: it makes machines again.',
    event: 'Normal',
    eventReason: 'UnfrozeMachineSet',
  },
  PropagateTemplate: { help: 'Settings of the template are written into its machines.' },
  PreserveFailedMachines: {
    help: 'Failed machines are kept to be looked at, within `autoPreserveFailedMachineMax`.',
    event: 'Normal',
  },
  ReleasePreservedMachines: {
    help: 'More Failed machines are kept than `autoPreserveFailedMachineMax` allows: some are let go.',
    event: 'Normal',
  },
  WaitingForCache: {
    help: 'Some machines are to go, and the API server knows of more than are seen here: none is chosen before all are.',
  },
  DeleteMachines: { help: 'Machines are deleted: those too many, and those that failed for good.' },
  CreateMachines: { help: 'Machines are made.' },
  BackOff: {
    help: 'Machines failed before they ran, one after the other: the next one is made later, or when the set changes.',
    event: 'Warning',
  },
  Frozen: { help: 'The set or its deployment is frozen: no machine is made.', event: 'Warning' },
  ScaleUpDisabled: {
    help: 'The machines of the set are updated in place, and move to a newer set: it makes none.',
  },
  WaitingForAdoption: {
    help: 'As many machines as are wanted are there, and the set may not take all of them in yet: it makes none in their place.',
    event: 'Warning',
  },
  ReleaseLimitExceeded: {
    help: 'The labels of more machines were changed than the set lets go within an hour, which is a tenth of them, and one at least: it keeps the others, and makes none in their place.',
    event: 'Warning',
  },
  WaitingForRelease: {
    help: 'The labels of machines were changed, and the set may not let them go yet: it makes none in their place.',
    event: 'Warning',
  },
  WaitingForVMsToGo: {
    help: 'As many machines as allowed hold, or may hold, a VM: the next is made when one of them has gone.',
    event: 'Normal',
  },
  MachinesTerminating: { help: 'The set is being deleted, and waits for its machines to go.' },
} as const satisfies ReasonTable;

/** Why a step of a MachineSet's life decides. */
export type Reason = keyof typeof reasons;

/** Events on MachineSets beside those of reasons (hack/spec/mcm.md 10.1). */
export const events = {
  SuccessfulCreate: { type: 'Normal', help: 'A machine was made.' },
  SuccessfulDelete: { type: 'Normal', help: 'A machine was deleted.' },
  ReleasedMachine: {
    type: 'Warning',
    help: 'A machine no longer matches the selector: it is let go, and no longer counts.',
  },
  AdoptedMachine: { type: 'Normal', help: 'A machine without an owner matches the selector: it is taken in.' },
  FailedCreate: { type: 'Warning', help: 'A machine could not be made.' },
  FailedDelete: { type: 'Warning', help: 'A machine could not be deleted.' },
  FailedUpdate: {
    type: 'Warning',
    help: 'A machine could not be changed, taken in or let go, or the set itself not be changed.',
  },
} as const satisfies EventTable;
