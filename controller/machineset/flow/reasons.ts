import {
  type EventTable,
  freezeReasons,
  type ReasonTable,
  type StepTable,
  selectingReasons,
  sharedReasons,
} from '../../flow/reasons.ts';
import { placingReasons } from '../../model/readiness.ts';

/** Steps of a MachineSet's life, in the order of the flows. */
export const steps = {
  Unpaused: 'Nobody has paused the set.',
  Guarded: 'The finalizer is on.',
  Selecting: 'The selector is valid and matches the labels of the template.',
  FreezeTold:
    'The set is frozen while it has too many machines; its label `freeze` and its condition `Frozen` tell that.',
  ChildrenReleased: 'Every machine that the set controls is one that its selector matches.',
  Adopted: 'No machine that the selector matches is without an owner.',
  Placed: 'The target cluster of the set’s machines is not there, or can be read.',
  Propagated: 'What the template may change on living machines is on them.',
  AutoPreserved: 'As many Failed machines are kept as the budget allows.',
  Trimmed: 'There are no more machines than wanted, and none that failed for good.',
  SpecValid: 'Machines can be made from the template; what the webhook refuses is judged again.',
  Filled: 'There are as many machines as wanted.',
  ChildrenOrphaned: 'Nothing is to be left behind by `kubectl delete --cascade=orphan`, or it was let go.',
  Emptied: 'No machine of the set is left.',
  Unguarded: 'The finalizer is off.',
} as const satisfies StepTable;

/** Every reason of a MachineSet's decisions. What is done to machines is told by an event for each machine. */
export const reasons = {
  ...sharedReasons,
  ...placingReasons,
  ...selectingReasons,
  ...freezeReasons,
  Freeze: {
    says: 'The set has more machines than it may have, or somebody froze it by label: it makes none.',
    event: 'Normal',
    eventReason: 'FrozeMachineSet',
  },
  Unfreeze: {
    says: 'The set has no longer too many machines, or somebody ended the freeze: it makes machines again.',
    event: 'Normal',
    eventReason: 'UnfrozeMachineSet',
  },
  Propagate: { says: 'Settings of the template are written into its machines.' },
  PreserveFailed: {
    says: 'Failed machines are kept to be looked at, within `autoPreserveFailedMachineMax`.',
    event: 'Normal',
  },
  ReleasePreserved: {
    says: 'More Failed machines are kept than `autoPreserveFailedMachineMax` allows: some are let go.',
    event: 'Normal',
  },
  WaitingForCache: {
    says: 'Some machines are to go, and the API server knows of more than are seen here: none is chosen before all are.',
  },
  DeleteMachines: { says: 'Machines are deleted: those too many, and those that failed for good.' },
  CreateMachines: { says: 'Machines are made.' },
  BackingOff: {
    says: 'Machines failed before they ran, one after the other: the next one is made later, or when the set changes.',
    event: 'Warning',
  },
  Frozen: { says: 'The set or its deployment is frozen: no machine is made.', event: 'Warning' },
  ScaleUpDisabled: { says: 'The machines of the set are updated in place, and move to a newer set: it makes none.' },
  WaitingForAdoption: {
    says: 'As many machines as are wanted are there, and the set may not take all of them in yet: it makes none in their place.',
    event: 'Warning',
  },
  ReleaseLimitExceeded: {
    says: 'The labels of more machines were changed than the set lets go within an hour, which is a tenth of them, and one at least: it keeps the others, and makes none in their place.',
    event: 'Warning',
  },
  WaitingForRelease: {
    says: 'The labels of machines were changed, and the set may not let them go yet: it makes none in their place.',
    event: 'Warning',
  },
  WaitingForVms: {
    says: 'As many machines as allowed hold, or may hold, a VM: the next is made when one of them has gone.',
    event: 'Normal',
  },
  MachinesLeaving: { says: 'The set is being deleted, and waits for its machines to go.' },
} as const satisfies ReasonTable;

/** Why a step of a MachineSet's life decides. */
export type Reason = keyof typeof reasons;

/** Events on MachineSets beside those of reasons (MCM 10.1). */
export const events = {
  SuccessfulCreate: { type: 'Normal', says: 'A machine was made.' },
  SuccessfulDelete: { type: 'Normal', says: 'A machine was deleted.' },
  ReleasedMachine: {
    type: 'Warning',
    says: 'A machine no longer matches the selector: it is let go, and no longer counts.',
  },
  AdoptedMachine: { type: 'Normal', says: 'A machine without an owner matches the selector: it is taken in.' },
  FailedCreate: { type: 'Warning', says: 'A machine could not be made.' },
  FailedDelete: { type: 'Warning', says: 'A machine could not be deleted.' },
  FailedUpdate: {
    type: 'Warning',
    says: 'A machine could not be changed, taken in or let go, or the set itself not be changed.',
  },
} as const satisfies EventTable;
