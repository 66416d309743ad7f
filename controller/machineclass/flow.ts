import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import {
  act,
  type Outcome,
  pass,
  type ReasonTable,
  type Steps,
  type StepTable,
  sharedReasons,
  wait,
} from '../flow/flow.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { hasFinalizer, type KubeObject, timestamp } from '../runtime/k8s/object.ts';

/** How many machines are named to whoever waits for them. */
const MOST_NAMED = 3;

/** What a MachineClass goes through (hack/spec/mcm.md 2.1, 6.10). One that is served elsewhere is left alone, finalizer and all. */
export const classFlow: Steps<MachineClassView, FinalizerAction, keyof typeof classReasons> = {
  DriverFound: ({ served }) => (served ? pass : wait('NoDriverForProvider', Infinity)),
  FinalizerAdded: (view) => finalizerAdded(view, FINALIZER),
  NotInUse: ({ object, users }) =>
    isLeaving(object) && users.length > 0
      ? wait('ClassInUse', Infinity, `the class goes when its last machine is gone: ${named(users)}`)
      : pass,
  NoVMExpected: (view) => noVmExpected(view, 'the class'),
  FinalizerRemoved: (view) => finalizerRemoved(view, FINALIZER),
};

/** What a Secret goes through that classes name, or named (hack/spec/mcm.md 2.1, 6.10). */
export const secretFlow: Steps<SecretView, FinalizerAction, keyof typeof secretReasons> = {
  FinalizerAdded: (view) => finalizerAdded(view, SECRET_FINALIZER),
  NotInUse: ({ object, users }) =>
    isLeaving(object) && users.length > 0
      ? wait('SecretInUse', Infinity, `the Secret goes when the last machine that needs it is gone: ${named(users)}`)
      : pass,
  NoVMExpected: (view) => noVmExpected(view, 'the Secret'),
  FinalizerRemoved: (view) =>
    view.shared && view.users.length === 0 ? wait('SecretShared', Infinity) : finalizerRemoved(view, SECRET_FINALIZER),
};

/** What is counted about an object. */
interface Counted {
  object: KubeObject;
  users: readonly string[];
  vmUntil?: number;
}

/** With the last class of an account goes the last who lists its VMs (hack/decisions/0051 L81). */
function noVmExpected({ object, vmUntil }: Counted, what: string): Outcome<FinalizerAction, 'VMExpected'> {
  if (vmUntil === undefined || !isLeaving(object)) return pass;
  const message = `until ${timestamp(vmUntil)} a VM may appear of a machine that has gone: ${what} goes after --orphan-grace-period more, once a list of VMs shows none`;
  return wait('VMExpected', Infinity, message);
}

/** The API server takes no new finalizer on what is being deleted. */
function finalizerAdded(
  { object, users, vmUntil }: Counted,
  finalizer: string,
): Outcome<FinalizerAction, 'AddFinalizer'> {
  if ((users.length === 0 && vmUntil === undefined) || hasFinalizer(object, finalizer) || isLeaving(object))
    return pass;
  return act('AddFinalizer', { do: 'addFinalizer' });
}

function finalizerRemoved(
  { object, users, vmUntil }: Counted,
  finalizer: string,
): Outcome<FinalizerAction, 'RemoveFinalizer'> {
  if (users.length > 0 || vmUntil !== undefined || !hasFinalizer(object, finalizer)) return pass;
  return act('RemoveFinalizer', { do: 'removeFinalizer' });
}

const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

function named(users: readonly string[]): string {
  const shown = users.slice(0, MOST_NAMED).join(', ');
  const more = users.length - MOST_NAMED;
  return `${users.length} ${users.length === 1 ? 'machine' : 'machines'} (${shown}${more > 0 ? ` and ${more} more` : ''})`;
}

/** Everything that one decision about a MachineClass needs, counted anew at each look. */
export interface MachineClassView {
  object: MachineClass;
  /** Names of the Machines that are made from it, those on their way out included. */
  users: readonly string[];
  /** Until when a VM may come of a machine that has gone, milliseconds, as the class says; it stays until a sweep takes that off. */
  vmUntil?: number;
  /** A driver here serves its provider. */
  served: boolean;
}

/** Everything that one decision about a Secret needs, counted anew at each look. */
export interface SecretView {
  object: Secret;
  /** Machines, as namespace/name, whose class names it, or that remember a class which does. */
  users: readonly string[];
  /** The same of the classes that name it, the latest. */
  vmUntil?: number;
  /** A class that no driver here serves names it: whoever serves that may need the finalizer. */
  shared: boolean;
}

/** What can be done for either. */
export type FinalizerAction = { do: 'addFinalizer' } | { do: 'removeFinalizer' };

const { AddFinalizer, RemoveFinalizer } = sharedReasons;

/** Steps of a MachineClass's life. */
export const classSteps = {
  DriverFound: 'A driver here serves the provider of the class.',
  FinalizerAdded: 'While machines are made from the class it carries the finalizer.',
  NotInUse: 'The class is not being deleted, or no machine is made from it any more.',
  NoVMExpected: 'The class is not being deleted, or no VM of a machine that has gone may appear any more.',
  FinalizerRemoved: 'The finalizer is off a class from which no machine is made.',
} as const satisfies StepTable;

/** Steps of the life of a Secret that classes name. */
export const secretSteps = {
  FinalizerAdded: 'While machines need the Secret it carries the finalizer.',
  NotInUse: 'The Secret is not being deleted, or no machine needs it any more.',
  NoVMExpected: 'The Secret is not being deleted, or no VM of a machine that has gone may appear any more.',
  FinalizerRemoved: 'The finalizer is off a Secret that no machine needs.',
} as const satisfies StepTable;

const VMExpected = {
  help: 'A machine has gone of which the cloud may still show a VM: what is being deleted stays until a list of VMs shows that none is left.',
  event: 'Normal',
} as const;

/** Every reason of decisions about MachineClasses. */
export const classReasons = {
  NoDriverForProvider: { help: 'No driver here serves the provider of the class: it is left alone.' },
  AddFinalizer,
  ClassInUse: {
    help: 'The class is being deleted, and waits for the machines that are made from it to go.',
    event: 'Warning',
  },
  VMExpected,
  RemoveFinalizer,
} as const satisfies ReasonTable;

/** Every reason of decisions about Secrets. */
export const secretReasons = {
  AddFinalizer,
  SecretInUse: {
    help: 'The Secret is being deleted, and waits for the machines that need it to go.',
    event: 'Warning',
  },
  VMExpected,
  SecretShared: { help: 'A class that is served elsewhere names the Secret: its finalizer is left alone.' },
  RemoveFinalizer,
} as const satisfies ReasonTable;
