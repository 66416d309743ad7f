import { isConflict } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { askingAs } from '../fairness/asking.ts';
import { Backoff } from '../fairness/rate.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Vitals } from '../program/vitals.ts';
import type { Random } from '../random.ts';
import { type Meter, meterOf, type PassOutcome } from './loopmetrics.ts';
import type { Queue } from './queue.ts';

/** What is to happen with a key after a reconcile; empty: it waits for the next event. */
export interface Result {
  /** Requeue after so many milliseconds. */
  after?: number;
  /** Something unexpected failed: requeue with back-off (no later than `after`). */
  retry?: boolean;
  /** The key stays in work until all of these have settled (the cache shows our writes), or a few seconds passed. */
  expectations?: ReadonlyArray<Promise<void>>;
}

/** A conflict is no error: requeue, and the next reconcile reads the new version. */
export function retryConflicts(error: unknown): Result {
  if (isConflict(error)) return { retry: true };
  throw error;
}

/** How long a key waits for more of the same before it is looked at, milliseconds: news of others, of its pods, and what is only counted. */
export const GATHER_MS = { told: 50, drained: 100, counted: 500 } as const;

/** Has everything looked at anew each time that so many milliseconds have passed, until the signal aborts. */
export async function resyncEvery(
  ms: number,
  { clock, signal }: Pick<LoopOptions, 'clock' | 'signal'>,
  enqueueAll: () => void,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(ms, signal).catch(() => {});
    if (!signal.aborted) enqueueAll();
  }
}

/** What a loop needs. */
export interface LoopOptions {
  /** Label of its metrics and field of its log lines, for example `machine`. */
  name: string;
  /** How many keys are reconciled at the same time, at the most. */
  workers: number;
  queue: Queue;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  /** The key's priority now; asked anew whenever it is requeued. */
  priorityOf(key: string): number;
  /** One pass over a key. The signal aborts when a stopping loop can wait no longer. */
  reconcile(key: string, signal: AbortSignal): Promise<Result>;
  /** Is told when the loop stands still; absent for one on which the life of the process does not hang. */
  watchedBy?: Vitals | undefined;
  /** Ends the loop: workers get no more keys. */
  signal: AbortSignal;
  /** Longest time that a key is held for its expectations, milliseconds; 5 s when absent. */
  expectationsMs?: number;
  /** Longest time that a stopping loop waits for passes that run, milliseconds; 10 s when absent. */
  stopMs?: number;
}

/** First and longest back-off of a key whose passes fail, milliseconds. */
const RETRY_MS = { baseMs: 100, capMs: 180_000 };

/**
 * A loop stands still when a key has been ready, and no pass has begun or ended, for so long, milliseconds: all workers hang
 * in something that has no end. Each call has one, after far less.
 */
const STILL_MS = 600_000;

/** After so many passes of all workers together, or when they took so long, milliseconds, timers and input have their turn. */
const PASSES_IN_A_ROW = 64;
const MS_IN_A_ROW = 20;

/** A loop that runs. */
interface Loop extends LoopOptions {
  backoff: Backoff;
  meter: Meter;
  /** Passes since timers and input had their turn, and how long they took together, milliseconds. */
  inARow: number;
  inARowMs: number;
  /** Resolves when they have had it; absent unless it is their turn now. */
  turn?: Promise<void> | undefined;
  /** Aborts when the loop waits for nothing any more. */
  over: AbortSignal;
}

/** How a pass ended, and what the queue is to do. */
interface Verdict {
  outcome: PassOutcome;
  after: number | undefined;
  expectations: ReadonlyArray<Promise<void>>;
}

/**
 * Takes keys from the queue and reconciles them, `workers` at a time, until the signal aborts; then shuts the queue down
 * and waits for the passes that run, up to `stopMs`. Never rejects: what a pass throws is logged and retried with back-off.
 */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { queue, random, signal, workers } = options;
  const over = new AbortController();
  const meter = meterOf(options);
  const backoff = new Backoff({ random, ...RETRY_MS });
  const loop: Loop = { ...options, meter, backoff, inARow: 0, inARowMs: 0, over: over.signal };
  const unwatch = options.watchedBy?.watch(() => standstillOf(loop));
  const stop = () => queue.shutdown();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const finished = Promise.all(Array.from({ length: workers }, () => work(loop)));
  await Promise.race([finished, stopTimeout(loop)]);
  over.abort(new Error(`the loop ${options.name} has ended`));
  signal.removeEventListener('abort', stop);
  meter.stop();
  unwatch?.();
}

function standstillOf({ name, queue, meter }: Loop): string | undefined {
  const ms = Math.min(queue.oldestReadyMs(), meter.stillMs());
  if (ms < STILL_MS) return undefined;
  const passes = `${meter.running().length} passes run`;
  return `loop ${name}: for ${Math.floor(ms / 1000)} s a key has been ready and no pass has begun or ended; ${passes}`;
}

/** Resolves `stopMs` after the signal aborted, having logged which passes still run. */
function stopTimeout({ clock, signal, over, log, name, meter, stopMs = 10_000 }: Loop): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = () => {
      log.warn('Stopped while passes still run', { loop: name, keys: meter.running() });
      resolve();
    };
    const begin = () => {
      const cancel = clock.after(stopMs, giveUp);
      over.addEventListener('abort', cancel, { once: true });
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true, signal: over });
  });
}

/** One worker: pass after pass until the queue is shut down. */
async function work(loop: Loop): Promise<void> {
  for (let item = await loop.queue.get(); item; item = await loop.queue.get()) {
    const begun = loop.clock.monotonic();
    const ended = loop.meter.begin(item);
    const verdict = await askingAs(item, () => attempt(loop, item.key));
    ended(verdict.outcome);
    void release(loop, item.key, verdict);
    await turnOf(loop, loop.clock.monotonic() - begun);
  }
}

/**
 * Passes that wait for nothing follow one another without a break, and the news that something urgent came would wait for
 * the last of them. All workers stop for that: one that goes on would keep the others' turn from coming. A pass that waited gave
 * others their turn by itself; one turn more does no harm. Who stops hands nothing out any more.
 */
function turnOf(loop: Loop, ms: number): Promise<void> | undefined {
  if (loop.signal.aborted) return undefined;
  loop.inARow += 1;
  loop.inARowMs += ms;
  if ((loop.inARow >= PASSES_IN_A_ROW || loop.inARowMs >= MS_IN_A_ROW) && !loop.turn) {
    loop.turn = loop.clock.sleep(0).then(() => {
      loop.inARow = 0;
      loop.inARowMs = 0;
      loop.turn = undefined;
    });
  }
  return loop.turn;
}

/** One pass. What it throws stays with its key. */
async function attempt({ reconcile, backoff, over, log, name }: Loop, key: string): Promise<Verdict> {
  try {
    const { after, retry = false, expectations = [] } = await reconcile(key, over);
    if (Number.isNaN(after)) throw new RangeError('the pass answered NaN for `after`: give milliseconds, or nothing');
    if (retry) return { outcome: 'retry', after: Math.min(after ?? Infinity, backoff.next(key)), expectations };
    backoff.forget(key);
    return { outcome: after === undefined ? 'success' : 'after', after, expectations };
  } catch (error) {
    const failures = backoff.count(key) + 1;
    const retryMs = backoff.next(key);
    log.error('Reconcile failed', { loop: name, key, error, failures, retryMs });
    return { outcome: 'error', after: retryMs, expectations: [] };
  }
}

/** Gives the key back once the cache shows its writes, and requeues it when the pass said so. Never rejects. */
async function release(loop: Loop, key: string, { after = Infinity, expectations }: Verdict): Promise<void> {
  const { queue, clock, log, name } = loop;
  const dueAt = clock.monotonic() + after;
  if (expectations.length > 0 && !(await seenInTime(loop, expectations))) {
    log.warn('The cache did not show a write in time', { loop: name, key });
  }
  if (Number.isFinite(after)) queue.add(key, { after: dueAt - clock.monotonic(), priority: priority(loop, key) });
  queue.done(key);
}

/** Whether all settle before `expectationsMs` pass; a loop that is over waits no longer. */
function seenInTime(
  { clock, over, expectationsMs = 5_000 }: Loop,
  expectations: Verdict['expectations'],
): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(expectationsMs, () => end(false));
    const leave = () => end(true);
    const end = (seen: boolean) => {
      cancel();
      over.removeEventListener('abort', leave);
      resolve(seen);
    };
    over.addEventListener('abort', leave, { once: true });
    void Promise.allSettled(expectations).then(leave);
  });
}

/** The key's priority now; the default when that cannot be told. */
function priority({ priorityOf, log, name }: Loop, key: string): number {
  try {
    const now = priorityOf(key);
    if (Number.isNaN(now)) throw new RangeError('it is NaN');
    return now;
  } catch (error) {
    log.error('Priority unknown', { loop: name, key, error });
    return 0;
  }
}
