import type { Machine } from '../../schemas/machine.ts';
import { mergePatch } from '../../schemas/mergepatch.ts';
import type { Decision } from '../flow/flow.ts';
import type { Note } from '../flow/reasons.ts';
import { mergeStatus, type Visible } from '../framework/writer.ts';
import { herdOf } from '../model/ownership.ts';
import { laneOf } from '../model/target.ts';
import { timestamp } from '../runtime/clock.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import { effectOf, mayNot } from '../safety/outage/hold.ts';
import { carryOut, statusRefused, statusTaken } from './carryout.ts';
import type { MachineParts } from './deps.ts';
import { SLOT_RECHECK_MS } from './flow/drivercall.ts';
import { nextDeadline, plan } from './flow/flow.ts';
import { asks, effects } from './flow/gating.ts';
import { mayBeGivenUp } from './flow/health.ts';
import { restartedClocks } from './flow/outage.ts';
import { gateOfMachine } from './flow/pausing.ts';
import { isRoutine, reasons } from './flow/reasons.ts';
import type { MachineAction, MachineView } from './flow/view.ts';
import { lineUp } from './lineup.ts';
import { observe } from './observe.ts';
import { complaints, newsOf } from './status/events.ts';
import { QUIET_MS, quietLeft, statusOf } from './status/status.ts';

/** How soon a Machine looks again by itself for which the share was taken of workers that may wait for targets, milliseconds: it is called before. */
const LANE_MS = 30_000;

/** How soon clocks are begun anew once more that did not stay so, milliseconds. */
const TAKEN_BACK_MS = 30_000;

/** One pass over a Machine: observe, plan, write the status, act. */
export async function reconcileMachine(parts: MachineParts, key: string): Promise<Result> {
  const view = observe(parts, key);
  if (!view) {
    parts.journal.forget(key);
    for (const memory of [parts.calls, parts.updates]) memory.leaveSlot(key);
    parts.lanes.leave(key);
    return {};
  }
  const restarted = restartedClocks(view);
  if (restarted) return restart(parts, view, restarted);
  const decision = plan(view);
  const { outcome } = decision;
  parts.urgency.judged(view.machine, decision);
  const status = statusOf(view, decision, timestamp(view.now));
  logDecision(parts, view, { decision, status });
  const visible = await writeStatus(parts, view, status);
  parts.meter.passed(view, decision, status);
  if (outcome.kind === 'act') {
    // The status took its time to write: an outage may have come.
    if (mayNot(effectOf(effects, outcome.action, view), gateOfMachine(parts.gates, view.machine)))
      return { after: 0, visible };
    const leave = asks[outcome.action.do] === 'target' ? parts.lanes.enter(laneOf(view.machine)) : () => {};
    if (!leave) return { after: LANE_MS, visible };
    const acted = await carryOut(parts, view, { step: decision.step, action: outcome.action }).finally(leave);
    if (acted) recordEvents(parts, view, newsOf(view, decision, status));
    // Anything but a call is looked at again at once.
    const after = asks[outcome.action.do] === 'driver' ? QUIET_MS : 0;
    return { after, visible: [...visible, ...(acted ?? [])] };
  }
  recordEvents(parts, view, newsOf(view, decision, status));
  parts.lanes.leave(key);
  return { ...lookAgain(view, decision, { awaitsSlot: lineUp(parts, view, decision) }), visible };
}

/** After an outage nothing is decided before this is written. */
async function restart(
  parts: MachineParts,
  view: MachineView,
  status: NonNullable<Machine['status']>,
): Promise<Result> {
  const { machine } = view;
  const before = machine.status ?? {};
  const visible = await tellStatus(parts, view, mergePatch(before, { ...before, ...status }) ?? {});
  parts.events.record(machine, { type: 'Normal', reason: 'OutageOver', note: reasons.OutageOver.says });
  // One that is not kept would be written again at once.
  const { uid = '' } = machine.metadata;
  const write = { write: 'OutageOver', content: status };
  const isTakenBack = parts.refusals.repeats.isTakenBack(uid, write, parts.clock.monotonic());
  return { after: isTakenBack ? TAKEN_BACK_MS : 0, visible };
}

async function writeStatus(parts: MachineParts, view: MachineView, status: Machine['status']): Promise<Visible> {
  const news = status && mergePatch(view.machine.status ?? {}, status);
  const change = news && { ...news, lastUpdated: timestamp(view.now) };
  if (status?.currentStatus?.phase === 'Failed' && mayBeGivenUp(view.machine)) takePermit(parts, view);
  return change ? tellStatus(parts, view, change) : [];
}

/** Writes the status; one that is refused is told by an event before it throws. */
async function tellStatus(parts: MachineParts, view: MachineView, change: object): Promise<Visible> {
  const { machineWrites } = parts;
  const visible = await mergeStatus(machineWrites, view.machine, change).catch((e) => statusRefused(parts, view, e));
  statusTaken(parts, view);
  return visible;
}

/** Before the write begins: another worker may decide on another Machine of the herd while it is under way. */
function takePermit(parts: MachineParts, { machine }: MachineView): void {
  parts.census.givenUp(machine);
  const herd = herdOf(parts, machine);
  if (herd) parts.permits.take(herd.id, machine, parts.clock.monotonic());
}

function logDecision(
  { journal }: MachineParts,
  { machine }: MachineView,
  { decision, status }: { decision: Decision<MachineAction>; status: Machine['status'] },
): void {
  const { phase } = (status ?? machine.status)?.currentStatus ?? {};
  journal.decided(keyOf(machine), decision, { phase, routine: isRoutine(decision) });
}

/** What a decision made news, and what is wrong with the Machine, that once. */
function recordEvents({ events, journal }: MachineParts, view: MachineView, news: readonly Note[]): void {
  const { machine } = view;
  const wrong = complaints(view);
  const isUnheard = journal.isNews(keyOf(machine), 'complaint', wrong.map(({ note }) => note).join(' '));
  for (const note of isUnheard ? [...wrong, ...news] : news) events.record(machine, note);
}

/** Deadlines have timers of their own: the next look is due at the earliest of them, whatever the step waits for. */
function lookAgain(
  view: MachineView,
  decision: Decision<MachineAction>,
  { awaitsSlot }: { awaitsSlot: boolean },
): Result {
  const { outcome } = decision;
  const quiet = quietLeft(view, decision) || Infinity;
  const waits = [nextDeadline(view), outcome.kind === 'wait' ? outcome.ms : Infinity, quiet];
  const after = Math.min(...waits, awaitsSlot ? SLOT_RECHECK_MS : Infinity);
  return Number.isFinite(after) ? { after } : {};
}
