import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { type Decision, decide } from '../flow/flow.ts';
import { noteOf, type ReasonTable } from '../flow/reasons.ts';
import type { Journal } from '../framework/decisionlog.ts';
import type { Writable } from '../framework/writer.ts';
import type { Events } from '../runtime/events/events.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import { apply, type Hold } from './apply.ts';
import { classFlow, classReasons, type HoldAction, secretFlow, secretReasons } from './flow.ts';
import { type MachineClassSources, observeClass, observeSecret } from './observe.ts';

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
