import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Decision, decide } from '../flow/flow.ts';
import type { DecisionLog } from '../framework/decisionlog.ts';
import { type Kind, reconcile } from '../framework/reconcile.ts';
import { addFinalizer, type Expectations, removeFinalizer, type Writable } from '../framework/writer.ts';
import { isInline } from '../model/class.ts';
import { vmExpectedUntil } from '../model/expectedvm.ts';
import type { Events } from '../runtime/events/events.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import {
  classFlow,
  classReasons,
  type FinalizerAction,
  type MachineClassView,
  type SecretView,
  secretFlow,
  secretReasons,
} from './flow.ts';

/** All that the controller of classes and their Secrets reads and writes with. */
export interface MachineClassParts extends MachineClassSources {
  classWrites: Writable<MachineClass>;
  secretWrites: Writable<Secret>;
  classJournal: DecisionLog;
  secretJournal: DecisionLog;
  events: Events;
}

/** One pass over a MachineClass: count, then hold it or let it go. */
export const reconcileClass = (parts: MachineClassParts, key: string): Promise<Result> =>
  reconcile(
    kindOf(parts, {
      hold: { on: parts.classWrites, finalizer: FINALIZER },
      decisionLog: parts.classJournal,
      reasons: classReasons,
      observe: (name) => observeClass(parts, name),
      plan: (view) => decide(classFlow, view),
    }),
    key,
  );

/** One pass over a Secret: count, then hold it or let it go. */
export const reconcileSecret = (parts: MachineClassParts, key: string): Promise<Result> =>
  reconcile(
    kindOf(parts, {
      hold: { on: parts.secretWrites, finalizer: SECRET_FINALIZER },
      decisionLog: parts.secretJournal,
      reasons: secretReasons,
      observe: (name) => observeSecret(parts, name),
      plan: (view) => decide(secretFlow, view),
    }),
    key,
  );

type Held<T extends KubeObject, V> = Pick<
  Kind<V, Decision<FinalizerAction>>,
  'decisionLog' | 'reasons' | 'observe' | 'plan'
> & {
  hold: Omit<FinalizerTarget<T>, 'object'>;
};

/** What the two have in common: they have no status, and an event tells what they wait for. */
const kindOf = <T extends KubeObject, V extends { object: T }>(
  { events }: Pick<MachineClassParts, 'events'>,
  { hold, ...own }: Held<T, V>,
): Kind<V, Decision<FinalizerAction>> => ({
  ...own,
  objectKey: ({ object }) => keyOf(object),
  forget: () => {},
  act: async ({ object }, { outcome }) => ({
    after: 0,
    expectations: await apply({ ...hold, object }, outcome.action),
  }),
  async rest({ object }, _decision, news) {
    for (const note of news) events.record(object, note);
    return {};
  },
});

/** What a finalizer is written on. */
export interface FinalizerTarget<T extends KubeObject> {
  on: Writable<T>;
  object: T;
  finalizer: string;
}

/** Carries out one action; answers when the caches will show it. Throws the API's error when the write fails. */
export function apply<T extends KubeObject>(
  { on, object, finalizer }: FinalizerTarget<T>,
  action: FinalizerAction,
): Promise<Expectations> {
  return action.do === 'addFinalizer' ? addFinalizer(on, object, finalizer) : removeFinalizer(on, object, finalizer);
}

/** Where uses are counted. */
export interface MachineClassSources {
  /** With the indexes `class` and `secret`. */
  machines: Cache<Machine>;
  /** With the index `secret`. */
  classes: Cache<MachineClass>;
  secrets: Cache<Secret>;
  drivers: ReadonlyMap<string, Driver>;
}

/** Everything that a decision about this class needs; undefined when there is no such class. */
export function observeClass(sources: MachineClassSources, key: string): MachineClassView | undefined {
  const object = sources.classes.get(key);
  if (!object) return undefined;
  const users = usersOf(sources, key).map(({ metadata }) => metadata.name);
  return { object, users: users.sort(), served: isServed(sources, object), ...expectedOf([object]) };
}

/** Everything that a decision about this Secret needs; undefined when there is no such Secret. */
export function observeSecret(sources: MachineClassSources, key: string): SecretView | undefined {
  const object = sources.secrets.get(key);
  if (!object) return undefined;
  const naming = sources.classes.by('secret', key);
  const served = naming.filter((one) => isServed(sources, one));
  const users = [
    ...served.flatMap((one) => usersOf(sources, keyOf(one))),
    ...sources.machines.by('secret', key).filter(isUser),
  ];
  const counted = [...new Set(users.map(keyOf))].sort();
  return { object, users: counted, shared: served.length < naming.length, ...expectedOf(served) };
}

function expectedOf(classes: readonly MachineClass[]): { vmUntil?: number } {
  const vmUntil = Math.max(...classes.map((one) => vmExpectedUntil(one) ?? -Infinity));
  return vmUntil === -Infinity ? {} : { vmUntil };
}

/** One of which nothing is left needs neither class nor Secret (hack/decisions/0051 U38). */
const isUser = (machine: Machine): boolean => !isOnlyKept(machine);

const usersOf = ({ machines }: MachineClassSources, key: string): Machine[] =>
  machines.by('class', key).filter((machine) => !isInline(machine) && isUser(machine));

const isServed = ({ drivers }: MachineClassSources, { provider }: MachineClass): boolean => drivers.has(provider ?? '');
