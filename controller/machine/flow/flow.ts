import { act, type Decision, decide, pass, reasonOf, type Steps } from '../../flow/flow.ts';
import { placed } from '../../model/readiness.ts';
import { gated } from '../../safety/outage/hold.ts';
import { claimed, onOwnNode } from './claim.ts';
import { classified, remembered } from './classresolution.ts';
import { creationLeft } from './drivercall.ts';
import { fieldsSupported } from './fieldsupport.ts';
import { called, gating } from './gating.ts';
import { healthy } from './health.ts';
import { hotUpdated, updateRetry } from './hotupdate.ts';
import { inPlaceUpdated } from './inplaceupdate.ts';
import { hasJoined } from './joining.ts';
import { created, initialized, joined, pollAfter } from './launch.ts';
import { hasFinalizer, leaving } from './leaving.ts';
import { emptyingTrouble } from './livedrain.ts';
import { synced } from './nodesync.ts';
import { opened } from './opening.ts';
import { unpausedMachine } from './pausingpausing.ts';
import { preservationApplied, preservationLeft } from './preservation.ts';
import { specValid } from './specvalid.ts';
import { inTime } from './timely.ts';
import type { CalledMethod, MachineAction, MachineView } from './view.ts';
import { wanted } from './wanted.ts';
import { refusalLeft, unlessHalted, unlessRefused } from './writefailures.ts';

/** What a living Machine goes through; the names are its status conditions, in this order. */
export const living = unlessRefused({
  Unpaused: unpausedMachine,
  SpecValid: inTime(specValid),
  Classified: inTime(classified),
  FieldsSupported: fieldsSupported,
  Guarded: ({ machine }) => (hasFinalizer(machine) ? pass : act('AddFinalizer', { do: 'addFinalizer' })),
  Remembered: inTime(remembered),
  Placed: ({ cluster }) => placed(cluster),
  PreservationApplied: onOwnNode(preservationApplied),
  Created: created,
  Claimed: claimed,
  Initialized: initialized,
  HotUpdated: hotUpdated,
  Joined: joined,
  Wanted: onOwnNode(wanted),
  Synced: onOwnNode(synced),
  InPlaceUpdated: inPlaceUpdated,
  Healthy: healthy,
  Opened: onOwnNode(opened),
});

/** A step of it, by name. */
export type LivingStep = keyof typeof living;

/** The flow that the Machine is in. */
export const flowOf = ({ machine }: MachineView): Steps<MachineView, MachineAction> =>
  machine.metadata.deletionTimestamp ? leaving : living;

/** What to do for the Machine now. */
export const plan = (view: MachineView): Decision<MachineAction> =>
  gated(unlessHalted(decide(flowOf(view), view), view), view, gating);

/** The method of which the Machine lacks a slot: with one it would be decided otherwise. */
export function methodAwaited(view: MachineView, decision: Decision<MachineAction>): CalledMethod | undefined {
  const { calls } = view;
  const without = (method: string) => calls.full.filter((other) => other !== method);
  const said = (now: Decision<MachineAction>) => `${now.step} ${now.outcome.kind} ${reasonOf(now)}`;
  return called.find(
    (method) =>
      calls.full.includes(method) &&
      said(plan({ ...view, calls: { ...calls, full: without(method) } })) !== said(decision),
  );
}

/** Milliseconds until something is due by itself, whatever the steps said: a poll, a retry, the end of creation. */
export function nextDeadline(view: MachineView): number {
  const { calls, now, machine } = view;
  const { failure, earlier = [] } = calls;
  const due = [failure, ...earlier].map((one) => (one?.retryAt ?? Infinity) - now);
  due.push(refusalLeft(view));
  if (!machine.metadata.deletionTimestamp) {
    due.push((calls.askedAt ?? Infinity) + pollAfter(view) - now, preservationLeft(view));
    due.push(emptyingTrouble(view).ms);
    due.push(updateRetry(view));
    if (!hasJoined(view)) due.push(creationLeft(view));
  }
  return Math.min(...due.filter((ms) => ms > 0));
}
