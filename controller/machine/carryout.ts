import { NotKept } from '../notkept.ts';
import { isDeniedByPolicy, isFailure, isJudged, isRefused } from '../runtime/errors.ts';
import type { Visible } from '../writes.ts';
import { apply } from './apply.ts';
import type { MachineParts } from './controller.ts';
import { asks } from './effects.ts';
import type { Streak } from './refusalmemory.ts';
import { refusalMark, standsBack } from './refused.ts';
import { type MachineAction, type MachineView, writeKey } from './view.ts';

/** What a decision wants done, and which step wants it. */
export interface Due {
  step: string;
  action: MachineAction;
}

/** How long a write is let alone that was judged, milliseconds: rights and rules change by hand. */
const REFUSED_MS = 600_000;
/** The same for one that failed in the server or in a webhook of somebody's. */
const FAILED_MS = 30_000;
/** How soon a write that holds up the Machine is tried again at first, milliseconds; each time it takes twice as long. */
const HALTED_MS = 5_000;

/** The same again is another try, where nothing is written. */
const writes = ({ do: what }: MachineAction): boolean => asks[what] === 'control' || asks[what] === 'target';

/** Carries out an action; undefined when its write was refused, which is noted and told. Throws what passes by itself. */
export async function carryOut(parts: MachineParts, view: MachineView, due: Due): Promise<Visible | undefined> {
  const { uid = '' } = view.machine.metadata;
  try {
    const visible = await apply(parts, view, due.action);
    if (isTakenBack(parts, view, due)) throw new NotKept(`written again and again (${due.action.do})`);
    parts.refusals.overcome(uid, writeKey(due.step, due.action));
    return visible;
  } catch (error) {
    if (!(isRefused(error) || error instanceof NotKept) || !isNoted(parts, view, { due, error })) throw error;
    tellOfRefusal(parts, view, { what: due.step, error });
    return undefined;
  }
}

function isTakenBack({ refusals, clock }: MachineParts, { machine }: MachineView, { step, action }: Due): boolean {
  if (!writes(action)) return false;
  const { uid = '' } = machine.metadata;
  return refusals.repeats.isTakenBack(uid, { write: writeKey(step, action), content: action }, clock.monotonic());
}

/** Has a refused status told at least by an event: nothing else can tell of it. Throws the error. */
export function statusRefused(parts: Pick<MachineParts, 'events'>, view: MachineView, error: unknown): never {
  if (isJudged(error)) tellOfRefusal(parts, view, { what: 'the status', error });
  throw error;
}

function tellOfRefusal(
  { events }: Pick<MachineParts, 'events'>,
  { machine }: MachineView,
  { what, error }: { what: string; error: Error },
): void {
  events.record(machine, { type: 'Warning', reason: 'WriteRefused', note: `${what}: ${error.message}` });
}

/** Notes the refusal; answers whether it is waited for. What failed by chance is tried again at once, that once. */
function isNoted(
  { refusals, clock }: MachineParts,
  view: MachineView,
  { due: { step, action }, error }: { due: Due; error: Error },
): boolean {
  const { machine } = view;
  const uid = machine.metadata.uid ?? '';
  const now = clock.monotonic();
  const write = writeKey(step, action);
  const mark = refusalMark(view.mark, machine);
  const before: Streak = refusals.streakOf(uid, { write, mark }) ?? { count: 0, since: now };
  const isByPolicy = isDeniedByPolicy(error);
  const isBack = standsBack(view, { step, action, isByPolicy, sinceMs: now - before.since });
  const isFinal = isJudged(error) || error instanceof NotKept;
  if (!isBack && !isFinal && !isFailure(error)) return false;
  const waits = isBack || isFinal || before.count > 0;
  refusals.add(uid, write, {
    step,
    mark,
    message: error.message,
    standsBack: isBack,
    retryAt: now + (waits ? pauseMs(error, { isBack, count: before.count }) : 0),
    streak: { count: before.count + 1, since: before.since },
  });
  return waits;
}

function pauseMs(error: Error, { isBack, count }: { isBack: boolean; count: number }): number {
  // Who takes it back may be gone in a moment, and may stay for ever.
  if (isBack && error instanceof NotKept) return Math.min(REFUSED_MS, FAILED_MS * 2 ** count);
  if (isBack) return isJudged(error) ? REFUSED_MS : FAILED_MS;
  return Math.min(REFUSED_MS, HALTED_MS * 2 ** count);
}
