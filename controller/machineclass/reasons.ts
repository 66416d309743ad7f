import { type ReasonTable, type StepTable, sharedReasons } from '../reasons.ts';

const { AddFinalizer, RemoveFinalizer } = sharedReasons;

/** Steps of a MachineClass's life. */
export const classSteps = {
  Served: 'A driver here serves the provider of the class.',
  Held: 'While machines are made from the class it carries the finalizer.',
  Unused: 'The class is not being deleted, or no machine is made from it any more.',
  NoVMExpected: 'The class is not being deleted, or no VM of a machine that has gone may appear any more.',
  Released: 'The finalizer is off a class from which no machine is made.',
} as const satisfies StepTable;

/** Steps of the life of a Secret that classes name. */
export const secretSteps = {
  Held: 'While machines need the Secret it carries the finalizer.',
  Unused: 'The Secret is not being deleted, or no machine needs it any more.',
  NoVMExpected: 'The Secret is not being deleted, or no VM of a machine that has gone may appear any more.',
  Released: 'The finalizer is off a Secret that no machine needs.',
} as const satisfies StepTable;

const VMExpected = {
  says: 'A machine has gone of which the cloud may still show a VM: what is being deleted stays until a list of VMs shows that none is left.',
  event: 'Normal',
} as const;

/** Every reason of decisions about MachineClasses. */
export const classReasons = {
  ForeignProvider: { says: 'No driver here serves the provider of the class: it is left alone.' },
  AddFinalizer,
  ClassInUse: {
    says: 'The class is being deleted, and waits for the machines that are made from it to go.',
    event: 'Warning',
  },
  VMExpected,
  RemoveFinalizer,
} as const satisfies ReasonTable;

/** Every reason of decisions about Secrets. */
export const secretReasons = {
  AddFinalizer,
  SecretInUse: {
    says: 'The Secret is being deleted, and waits for the machines that need it to go.',
    event: 'Warning',
  },
  VMExpected,
  SecretShared: { says: 'A class that is served elsewhere names the Secret: its finalizer is left alone.' },
  RemoveFinalizer,
} as const satisfies ReasonTable;
