import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Decision, decide } from '../flow/flow.ts';
import { noteOf, type ReasonTable } from '../flow/reasons.ts';
import type { Journal } from '../framework/decisionlog.ts';
import { addFinalizer, removeFinalizer, type Visible, type Writable } from '../framework/writer.ts';
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
  type HoldAction,
  type MachineClassView,
  type SecretView,
  secretFlow,
  secretReasons,
} from './flow.ts';

/** All that the controller of classes and their Secrets reads and writes with. */
export interface MachineClassParts extends MachineClassSources {
  classWrites: Writable<MachineClass>;
  secretWrites: Writable<Secret>;
  classJournal: Journal;
  secretJournal: Journal;
  events: Events;
}

/** One pass over a MachineClass: count, then hold it or let it go. */
export async function reconcileClass(parts: MachineClassParts, key: string): Promise<Result> {
  const { classWrites: on, classJournal: journal, events } = parts;
  const view = observeClass(parts, key);
  if (!view) return forgotten(journal, key);
  const hold = { on, object: view.object, finalizer: FINALIZER };
  return carryOut({ hold, journal, events, reasons: classReasons }, decide(classFlow, view));
}

/** One pass over a Secret: count, then hold it or let it go. */
export async function reconcileSecret(parts: MachineClassParts, key: string): Promise<Result> {
  const { secretWrites: on, secretJournal: journal, events } = parts;
  const view = observeSecret(parts, key);
  if (!view) return forgotten(journal, key);
  const hold = { on, object: view.object, finalizer: SECRET_FINALIZER };
  return carryOut({ hold, journal, events, reasons: secretReasons }, decide(secretFlow, view));
}

function forgotten(journal: Journal, key: string): Result {
  journal.forget(key);
  return {};
}

/** What a decision is told and carried out with. */
interface Hands<T extends KubeObject> {
  hold: Hold<T>;
  journal: Journal;
  events: Events;
  reasons: ReasonTable;
}

/** Classes and Secrets have no status: an event tells what they wait for. */
async function carryOut<T extends KubeObject>(
  { hold, journal, events, reasons }: Hands<T>,
  decision: Decision<HoldAction>,
): Promise<Result> {
  const { outcome } = decision;
  const changed = journal.decided(keyOf(hold.object), decision);
  if (outcome.kind === 'act') return { after: 0, visible: await apply(hold, outcome.action) };
  for (const note of changed ? noteOf(reasons, decision) : []) events.record(hold.object, note);
  return {};
}

/** What a hold is written on. */
export interface Hold<T extends KubeObject> {
  on: Writable<T>;
  object: T;
  finalizer: string;
}

/** Carries out one action; answers when the caches will show it. Throws the API's error when the write fails. */
export function apply<T extends KubeObject>({ on, object, finalizer }: Hold<T>, action: HoldAction): Promise<Visible> {
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
  const users = [...served.flatMap((one) => usersOf(sources, keyOf(one))), ...sources.machines.by('secret', key)];
  const counted = [...new Set(users.map(keyOf))].sort();
  return { object, users: counted, shared: served.length < naming.length, ...expectedOf(served) };
}

function expectedOf(classes: readonly MachineClass[]): { vmUntil?: number } {
  const vmUntil = Math.max(...classes.map((one) => vmExpectedUntil(one) ?? -Infinity));
  return vmUntil === -Infinity ? {} : { vmUntil };
}

const usersOf = ({ machines }: MachineClassSources, key: string): Machine[] =>
  machines.by('class', key).filter((machine) => !isInline(machine));

const isServed = ({ drivers }: MachineClassSources, { provider }: MachineClass): boolean => drivers.has(provider ?? '');
