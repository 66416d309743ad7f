import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import { act, type Outcome, pass, type Steps, wait } from '../flow.ts';
import type { KubeObject } from '../runtime/object.ts';
import { timestamp } from '../runtime/timestamp.ts';
import type { classReasons, secretReasons } from './reasons.ts';
import type { HoldAction, MachineClassView, SecretView } from './view.ts';

/** How many machines are named to whoever waits for them. */
const MOST_NAMED = 3;

/** What a MachineClass goes through (MCM 2.1, 6.10). One that is served elsewhere is left alone, finalizer and all. */
export const classFlow: Steps<MachineClassView, HoldAction, keyof typeof classReasons> = {
  Served: ({ served }) => (served ? pass : wait('ForeignProvider', Infinity)),
  Held: (view) => held(view, FINALIZER),
  Unused: ({ object, users }) =>
    isLeaving(object) && users.length > 0
      ? wait('ClassInUse', Infinity, `the class goes when its last machine is gone: ${named(users)}`)
      : pass,
  NoVMExpected: (view) => unexpected(view, 'the class'),
  Released: (view) => released(view, FINALIZER),
};

/** What a Secret goes through that classes name, or named (MCM 2.1, 6.10). */
export const secretFlow: Steps<SecretView, HoldAction, keyof typeof secretReasons> = {
  Held: (view) => held(view, SECRET_FINALIZER),
  Unused: ({ object, users }) =>
    isLeaving(object) && users.length > 0
      ? wait('SecretInUse', Infinity, `the Secret goes when the last machine that needs it is gone: ${named(users)}`)
      : pass,
  NoVMExpected: (view) => unexpected(view, 'the Secret'),
  Released: (view) =>
    view.shared && view.users.length === 0 ? wait('SecretShared', Infinity) : released(view, SECRET_FINALIZER),
};

/** What is counted about an object. */
interface Counted {
  object: KubeObject;
  users: readonly string[];
  vmUntil?: number;
}

/** With the last class of an account goes the last who lists its VMs (hack/decisions/0051 L81). */
function unexpected({ object, vmUntil }: Counted, what: string): Outcome<HoldAction, 'VMExpected'> {
  if (vmUntil === undefined || !isLeaving(object)) return pass;
  const says = `until ${timestamp(vmUntil)} a VM may appear of a machine that has gone: ${what} goes after --orphan-grace-period more, once a list of VMs shows none`;
  return wait('VMExpected', Infinity, says);
}

/** The API server takes no new finalizer on what is being deleted. */
function held({ object, users, vmUntil }: Counted, finalizer: string): Outcome<HoldAction, 'AddFinalizer'> {
  if ((users.length === 0 && vmUntil === undefined) || carries(object, finalizer) || isLeaving(object)) return pass;
  return act('AddFinalizer', { do: 'addFinalizer' });
}

function released({ object, users, vmUntil }: Counted, finalizer: string): Outcome<HoldAction, 'RemoveFinalizer'> {
  if (users.length > 0 || vmUntil !== undefined || !carries(object, finalizer)) return pass;
  return act('RemoveFinalizer', { do: 'removeFinalizer' });
}

/** Whether the object carries the finalizer. */
export const carries = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false;

const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

function named(users: readonly string[]): string {
  const shown = users.slice(0, MOST_NAMED).join(', ');
  const more = users.length - MOST_NAMED;
  return `${users.length} ${users.length === 1 ? 'machine' : 'machines'} (${shown}${more > 0 ? ` and ${more} more` : ''})`;
}
