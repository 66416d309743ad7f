import type { Machine } from '../../schemas/machine.ts';
import { mergePatch } from '../../schemas/same.ts';
import type { Decision, Note } from '../flow/flow.ts';
import { type Acting, type Kind, reconcile, requeue, waitOf } from '../framework/reconcile.ts';
import { type Expectations, mergeStatus } from '../framework/writer.ts';
import { herdOf } from '../model/ownership.ts';
import { phaseOf } from '../model/phases.ts';
import { laneOf } from '../model/target.ts';
import { keyOf, timestamp } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import { effectOf, mayNot } from '../safety/outage/gate.ts';
import type { InFlightCalls } from './calls/inflight.ts';
import { slotKeyOf } from './calls/limiter.ts';
import type { Updates } from './calls/updates.ts';
import type { MachineParts } from './deps.ts';
import { SLOT_RECHECK_MS } from './flow/drivercall.ts';
import { methodAwaited, nextDeadline, plan } from './flow/flow.ts';
import { asks, effects, gateOfMachine } from './flow/gating.ts';
import { mayBeGivenUp } from './flow/health.ts';
import { awaitsUpdateSlot } from './flow/hotupdate.ts';
import { restartedClocks } from './flow/outage.ts';
import { isRoutine, reasons } from './flow/reasons.ts';
import type { MachineAction, MachineView } from './flow/view.ts';
import { observe } from './observe.ts';
import { carryOut, statusRefused, statusTaken } from './refusedwrites.ts';
import { complaints, newsOf } from './status/events.ts';
import { QUIET_MS, quietLeft, statusOf } from './status/status.ts';

/** How soon a Machine looks again by itself for which the share was taken of workers that may wait for targets, milliseconds: it is called before. */
const LANE_MS = 30_000;

/** How soon clocks are begun anew once more that did not stay so, milliseconds. */
const TAKEN_BACK_MS = 30_000;

/** One pass over a Machine: observe, plan, write the status, act. */
export const reconcileMachine = (parts: MachineParts, key: string): Promise<Result> => reconcile(machines(parts), key);

/** With the status that tells of it: unlike others, Machines show what is being done. */
type Decided = Decision<MachineAction> & { status: Machine['status'] };

/** How Machines are reconciled. */
const machines = (parts: MachineParts): Kind<MachineView, Decided> => ({
  reasons,
  decisionLog: parts.decisionLog,
  observe: (key) => look(parts, key),
  forget(key) {
    for (const memory of [parts.calls, parts.updates]) memory.leaveSlot(key);
    parts.lanes.leave(key);
  },
  objectKey: ({ machine }) => keyOf(machine),
  plan(view) {
    const decision = plan(view);
    return { ...decision, status: statusOf(view, decision, timestamp(view.now)) };
  },
  first(view) {
    const restarted = restartedClocks(view);
    return restarted && restart(parts, view, restarted);
  },
  beside: (view, decision) => ({
    phase: (decision.status ?? view.machine.status)?.currentStatus?.phase,
    routine: isRoutine(decision),
  }),
  act: (view, decision) => act(parts, view, decision),
  rest: (view, decision) => rest(parts, view, decision),
});

/** The Node is there, and names the VM: one without a providerID may be a stranger's of that name. */
const isNodeOfVm = ({ node, machine }: MachineView): boolean =>
  node.at === 'present' &&
  machine.spec?.providerID !== undefined &&
  node.object.spec?.providerID === machine.spec.providerID;

function look(parts: MachineParts, key: string): MachineView | undefined {
  const { metadata } = parts.machines.get(key) ?? {};
  if (metadata) parts.calls.syncDeletion(metadata);
  const view = observe(parts, key);
  if (view && isNodeOfVm(view)) parts.calls.noteRegistered(view.machine.metadata.uid ?? '');
  return view;
}

async function act(parts: MachineParts, view: MachineView, decision: Acting<Decided>): Promise<Result> {
  const expectations = await tell(parts, view, decision);
  const { step, outcome, status } = decision;
  // The status took its time to write: an outage may have come.
  if (mayNot(effectOf(effects, outcome.action, view), gateOfMachine(parts.gates, view.machine)))
    return { after: 0, expectations };
  const leave = asks[outcome.action.do] === 'target' ? parts.lanes.enter(laneOf(view.machine)) : () => {};
  if (!leave) return { after: LANE_MS, expectations };
  const acted = await carryOut(parts, view, { step, action: outcome.action }).finally(leave);
  if (acted) recordEvents(parts, view, newsOf(view, decision, status));
  // Anything but a call is looked at again at once.
  const after = asks[outcome.action.do] === 'driver' ? QUIET_MS : 0;
  return { after, expectations: [...expectations, ...(acted ?? [])] };
}

async function rest(parts: MachineParts, view: MachineView, decision: Decided): Promise<Result> {
  const expectations = await tell(parts, view, decision);
  recordEvents(parts, view, newsOf(view, decision, decision.status));
  parts.lanes.leave(keyOf(view.machine));
  const awaitsSlot = lineUp(parts, view, decision) ? SLOT_RECHECK_MS : Infinity;
  // Deadlines have timers of their own: the next look is due at the earliest of them, whatever the step waits for.
  const dues = [nextDeadline(view), quietLeft(view, decision) || Infinity, awaitsSlot];
  return requeue(expectations, ...dues, waitOf(decision));
}

async function tell(parts: MachineParts, view: MachineView, decision: Decided): Promise<Expectations> {
  parts.urgency.judged(view.machine, decision);
  const expectations = await writeStatus(parts, view, decision.status);
  parts.meter.passed(view, decision, decision.status);
  return expectations;
}

/** After an outage nothing is decided before this is written. */
async function restart(
  parts: MachineParts,
  view: MachineView,
  status: NonNullable<Machine['status']>,
): Promise<Result> {
  const { machine } = view;
  const before = machine.status ?? {};
  const expectations = await tellStatus(parts, view, mergePatch(before, { ...before, ...status }) ?? {});
  parts.events.record(machine, { type: 'Normal', reason: 'OutageOver', note: reasons.OutageOver.help });
  // One that is not kept would be written again at once.
  const { uid = '' } = machine.metadata;
  const write = { write: 'OutageOver', content: status };
  const isTakenBack = parts.refusals.repeats.isTakenBack(uid, write, parts.clock.monotonic());
  return { after: isTakenBack ? TAKEN_BACK_MS : 0, expectations };
}

async function writeStatus(parts: MachineParts, view: MachineView, status: Machine['status']): Promise<Expectations> {
  const news = status && mergePatch(view.machine.status ?? {}, status);
  const change = news && { ...news, lastUpdated: timestamp(view.now) };
  if (phaseOf({ status }) === 'Failed' && mayBeGivenUp(view.machine)) takePermit(parts, view);
  return change ? tellStatus(parts, view, change) : [];
}

/** Writes the status; one that is refused is told by an event before it throws. */
async function tellStatus(parts: MachineParts, view: MachineView, change: object): Promise<Expectations> {
  const { machineWrites } = parts;
  const expectations = await mergeStatus(machineWrites, view.machine, change).catch((e) =>
    statusRefused(parts, view, e),
  );
  statusTaken(parts, view);
  return expectations;
}

/** Before the write begins: another worker may decide on another Machine of the herd while it is under way. */
function takePermit(parts: MachineParts, { machine }: MachineView): void {
  parts.census.givenUp(machine);
  const herd = herdOf(parts, machine);
  if (herd) parts.permits.take(herd.id, machine, parts.clock.monotonic());
}

/** What a decision made news, and what is wrong with the Machine, that once. */
function recordEvents({ events, decisionLog }: MachineParts, view: MachineView, news: readonly Note[]): void {
  const { machine } = view;
  const wrong = complaints(view);
  const isUnheard = decisionLog.isChanged(keyOf(machine), 'complaint', wrong.map(({ note }) => note).join(' '));
  for (const note of isUnheard ? [...wrong, ...news] : news) events.record(machine, note);
}

/** Where slots for driver calls are waited for. */
interface Lines {
  calls: Pick<InFlightCalls, 'awaitSlot' | 'leaveSlot'>;
  updates: Pick<Updates, 'awaitSlot' | 'leaveSlot'>;
}

/**
 * Has the Machine wait for the slots that it lacks, and for no other; answers whether it lacks one for its next call. While the driver is
 * asked about the VM it is not known what comes next: then what is kept for it stays.
 */
export function lineUp({ calls, updates }: Lines, view: MachineView, decision: Decision<MachineAction>): boolean {
  const { machine, class: fact } = view;
  const about = { key: keyOf(machine), classKey: slotKeyOf(machine, fact) };
  const method = methodAwaited(view, decision);
  if (method) calls.awaitSlot({ ...about, method });
  else if (view.calls.inFlight?.method !== 'getMachineStatus') calls.leaveSlot(about.key);
  if (awaitsUpdateSlot(view)) updates.awaitSlot(about);
  else updates.leaveSlot(about.key);
  return method !== undefined;
}
