import type { Decision } from '../flow.ts';
import { type Clock, timestamp } from '../runtime/clock.ts';
import type { Events } from '../runtime/events.ts';
import type { Log } from '../runtime/log.ts';
import type { Result } from '../runtime/loop.ts';
import { mergePatch } from '../runtime/mergepatch.ts';
import { mergeStatus, type Visible } from '../writes.ts';
import { apply, type MachineEffects } from './apply.ts';
import { classKeyOf, type MachineSources, observe } from './observe.ts';
import { nextDeadline, plan } from './reconcile.ts';
import { QUIET_MS, quietLeft, statusOf } from './status.ts';
import type { MachineAction, MachineView } from './view.ts';

/** All that the Machine controller reads and writes with. */
export interface MachineParts extends MachineSources, MachineEffects {
  clock: Clock;
  log: Log;
  events: Events;
}

/** One pass over a Machine: observe, plan, write the status, act. */
export async function reconcileMachine(parts: MachineParts, key: string): Promise<Result> {
  const view = observe(parts, key);
  if (!view) return {};
  const decision = plan(view);
  const { step, outcome } = decision;
  parts.log.debug('decided', {
    machine: key,
    step,
    outcome: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : step,
  });
  const visible = await writeStatus(parts, view, decision);
  if (outcome.kind === 'act') {
    const acted = await apply(parts, view, outcome.action);
    // A call wakes the key with its answer; anything else is looked at again at once.
    const after = outcome.action.do === 'call' ? QUIET_MS : 0;
    return { after, visible: [...visible, ...acted] };
  }
  if (outcome.kind === 'wait' && outcome.reason === 'WaitingForSlot') awaitSlot(parts, view, key);
  return { ...lookAgain(view, decision), visible };
}

async function writeStatus(
  parts: MachineParts,
  view: MachineView,
  decision: Decision<MachineAction>,
): Promise<Visible> {
  const status = statusOf(view, decision, timestamp(view.now));
  const change = status && mergePatch(view.machine.status ?? {}, status);
  return change ? mergeStatus(parts.machineWrites, view.machine, change) : [];
}

function awaitSlot({ calls }: MachineParts, { machine }: MachineView, key: string): void {
  const method = machine.metadata.deletionTimestamp ? 'deleteMachine' : 'createMachine';
  calls.awaitSlot({ key, classKey: classKeyOf(machine), method });
}

/** Deadlines have timers of their own: the next look is due at the earliest of them, whatever the step waits for. */
function lookAgain(view: MachineView, decision: Decision<MachineAction>): Result {
  const { outcome } = decision;
  const quiet = quietLeft(view, decision) || Infinity;
  const waits = [nextDeadline(view), outcome.kind === 'wait' ? outcome.ms : Infinity, quiet];
  const after = Math.min(...waits);
  return Number.isFinite(after) ? { after } : {};
}
