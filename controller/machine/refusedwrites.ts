import { BY_HAND_MS } from '../flow/refusals.ts';
import { type Expectations, NotKept } from '../framework/writer.ts';
import { ApiError, isDeniedByPolicy, isJudged, isRefused } from '../runtime/client/errors.ts';
import { isRefusal } from '../runtime/client/streak.ts';
import { apply } from './actions.ts';
import type { MachineParts } from './deps.ts';
import { asks } from './flow/gating.ts';
import { type MachineAction, type MachineView, writeKey } from './flow/view.ts';
import { refusalMark, standsBack } from './flow/writefailures.ts';

/** What a decision wants done, and which step wants it. */
export interface Due {
  step: string;
  action: MachineAction;
}

/** How long a write is let alone that failed in the server or in a webhook of somebody's. */
const FAILED_MS = 30_000;
/** How soon a write that holds up the Machine is tried again at first, milliseconds; each time it takes twice as long. */
const HALTED_MS = 5_000;

/** The same again is another try, where nothing is written. */
const writes = ({ do: what }: MachineAction): boolean => asks[what] === 'control' || asks[what] === 'target';

/** Carries out an action; undefined when its write was refused, which is noted and told. Throws what passes by itself. */
export async function carryOut(parts: MachineParts, view: MachineView, due: Due): Promise<Expectations | undefined> {
  const { uid = '' } = view.machine.metadata;
  try {
    const expectations = await apply(parts, view, due.action);
    if (isTakenBack(parts, view, due)) throw new NotKept(`written again and again (${due.action.do})`);
    parts.refusals.overcome(uid, writeKey(due.step, due.action));
    return expectations;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof NotKept) || !isNoted(parts, view, { due, error })) throw error;
    tellOfRefusal(parts, view, { what: due.step, error });
    return undefined;
  }
}

function isTakenBack({ refusals, clock }: MachineParts, { machine }: MachineView, { step, action }: Due): boolean {
  if (!writes(action)) return false;
  const { uid = '' } = machine.metadata;
  return refusals.repeats.isTakenBack(uid, { write: writeKey(step, action), content: action }, clock.monotonic());
}

/** As what a write of the status is remembered, which no step asks for. */
const STATUS = { write: 'status', mark: '' };

/** Has a refused status told at least by an event: nothing else can tell of it. Throws the error. */
export function statusRefused(
  { events, refusals, clock }: Pick<MachineParts, 'events' | 'refusals' | 'clock'>,
  view: MachineView,
  error: unknown,
): never {
  if (!(error instanceof ApiError)) throw error;
  const { uid = '' } = view.machine.metadata;
  const now = clock.monotonic();
  const before = refusals.streakOf(uid, STATUS) ?? { count: 0, since: now };
  const streak = { count: before.count + 1, since: before.since };
  const { write, mark } = STATUS;
  refusals.add(uid, write, { step: write, mark, message: error.message, standsBack: false, retryAt: now, streak });
  if (isRefusal(error, before, now)) tellOfRefusal({ events }, view, { what: 'the status', error });
  throw error;
}

/** The status was taken. */
export const statusTaken = ({ refusals }: Pick<MachineParts, 'refusals'>, { machine }: MachineView): void =>
  refusals.overcome(machine.metadata.uid ?? '', STATUS.write);

function tellOfRefusal(
  { events }: Pick<MachineParts, 'events'>,
  { machine }: MachineView,
  { what, error }: { what: string; error: Error },
): void {
  events.record(machine, { type: 'Warning', reason: 'WriteRefused', note: `${what}: ${error.message}` });
}

/** Notes what came to nothing; answers whether it is waited for. What may be chance is tried again at once. */
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
  const before = refusals.streakOf(uid, { write, mark }) ?? { count: 0, since: now };
  const sinceMs = now - before.since;
  const isNo = isJudged(error) || error instanceof NotKept;
  const { judgedSince = isNo ? now : undefined } = before;
  const judgedMs = isNo ? now - (judgedSince ?? now) : 0;
  const isBack = standsBack(view, { step, action, isByPolicy: isDeniedByPolicy(error), judgedMs });
  const waits = (isBack && isRefused(error)) || error instanceof NotKept || isRefusal(error, before, now);
  refusals.add(uid, write, {
    step,
    mark,
    message: error.message,
    standsBack: isBack,
    retryAt: now + (waits ? pauseMs(error, { isBack, count: before.count, sinceMs }) : 0),
    streak: { count: before.count + 1, since: before.since, ...(judgedSince !== undefined && { judgedSince }) },
  });
  return waits;
}

function pauseMs(error: Error, { isBack, ...streak }: { isBack: boolean; count: number; sinceMs: number }): number {
  // What reverts the write may be gone soon, or stay for ever.
  if (isBack && error instanceof NotKept) return Math.min(BY_HAND_MS, FAILED_MS * 2 ** streak.count);
  if (isBack) return isJudged(error) ? BY_HAND_MS : FAILED_MS;
  // What could have been chance was tried often before it is waited for.
  const wasTried = !(isRefused(error) || error instanceof NotKept);
  return Math.min(BY_HAND_MS, wasTried ? streak.sinceMs : HALTED_MS * 2 ** streak.count);
}
