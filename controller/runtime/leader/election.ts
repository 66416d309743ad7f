import { isAlreadyExists, isConflict } from '../client/errors.ts';
import { jitter, type Random } from '../random.ts';
import { Candidate, type CandidateOptions } from './candidate.ts';

/** What an election needs. As in client-go, `durationMs` > `renewMs` > 1.2 × `retryMs`. */
export interface LeaseOptions extends CandidateOptions {
  /** Time between two tries, milliseconds; spread by a fifth. */
  retryMs: number;
  random: Random;
  /** Ends the candidacy. A leader goes on until it releases or loses the lease. */
  signal: AbortSignal;
  /** Until it is fulfilled the lease is watched and not taken; what it rejects with ends the candidacy. */
  after?: Promise<unknown>;
}

/** A lease that is held. */
export interface Leadership {
  /** Aborts when the lease is lost or released. */
  signal: AbortSignal;
  /** When somebody else held it last, milliseconds since the epoch by that one's clock; absent when nobody ever did. */
  heldBefore?: number;
  /** Somebody else may not have held it since then, as far as we could look, on our monotonic clock; absent where nobody is elected. */
  heldAfter?: number;
  /** How long ago the last renewal that succeeded began, milliseconds. */
  renewedMsAgo(): number;
  /** Gives the lease back, so that another can lead at once; to be called when all work has ended. Never rejects. */
  release(): Promise<void>;
}

/**
 * Waits until this process holds the Lease, then keeps renewing it (the rules of client-go's leaderelection).
 *
 * Times written in the Lease are for people; nobody compares them with a clock. A candidate measures by its own timer
 * for how long it has seen the Lease unchanged, a leader how long ago it began the last renewal that succeeded. While
 * timers run at about the same speed everywhere, a leader has ended itself before another takes over. After the end
 * of a leader another leads within the lease duration, counted from the moment at which it saw the last renewal.
 *
 * It is no fence: a process that was frozen for its whole term may act on once more before its timer fires, and a
 * request on its way is not called back. Whoever leads must survive a short overlap.
 *
 * @throws the signal's reason when it aborts; what `after` rejects with; RangeError when the durations do not fit together
 */
export async function lead(options: LeaseOptions): Promise<Leadership> {
  checkDurations(options);
  const { clock, random, retryMs, signal } = options;
  const log = options.log.child({ lease: `${options.namespace}/${options.name}`, identity: options.identity });
  const election = { ...options, log };
  const candidate = new Candidate(election);
  try {
    if (options.after) await watchUntil(options.after, election, candidate);
    for (;;) {
      signal.throwIfAborted();
      const term = new Term(election);
      if (await wins(election, candidate, term)) return await leadership(election, candidate, term);
      await clock.sleep(Math.min(jitter(random, retryMs), candidate.untilFree()), signal);
    }
  } finally {
    candidate.forgetOtherHolder();
  }
}

/** Watches the lease until it may be taken: the term of a holder that has died passes meanwhile. */
async function watchUntil(after: Promise<unknown>, options: LeaseOptions, candidate: Candidate): Promise<void> {
  const { clock, random, retryMs, log, signal } = options;
  const turn = new AbortController();
  after.finally(() => turn.abort()).catch(() => {});
  const over = AbortSignal.any([signal, turn.signal]);
  while (!over.aborted) {
    await candidate.look(over).catch((error) => over.aborted || log.warn('Lease not read', { error }));
    await clock.sleep(jitter(random, retryMs), over).catch(() => {});
  }
  signal.throwIfAborted();
  await after;
}

/** How long a leader may go on: `renewMs` from the beginning of the last acquisition or renewal that succeeded. */
class Term {
  readonly #options: LeaseOptions;
  readonly #over = new AbortController();
  /** On the monotonic clock. */
  #extendedAt: number;
  #cancel: () => void = () => {};

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#extendedAt = options.clock.monotonic();
  }

  /** How long ago the last successful acquisition or renewal began, milliseconds. */
  extendedMsAgo(): number {
    return this.#options.clock.monotonic() - this.#extendedAt;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Acquires or renews the lease, which extends the term if it succeeds; answers whether it did. Throws what that throws. */
  async extend(acquireOrRenew: () => Promise<boolean>): Promise<boolean> {
    const { clock, renewMs } = this.#options;
    const begunAt = clock.monotonic();
    const cancel = clock.after(renewMs, () => this.end(`it was not renewed for ${renewMs} ms`));
    let held = false;
    try {
      held = (await acquireOrRenew()) && !this.over.aborted;
    } finally {
      if (!held) cancel();
    }
    if (!held) return false;
    this.#cancel();
    this.#cancel = cancel;
    this.#extendedAt = begunAt;
    return true;
  }

  end(why: string): void {
    this.#cancel();
    this.#over.abort(new Error(`the lease ${this.#options.namespace}/${this.#options.name} is over: ${why}`));
  }
}

/** One try to become the leader. What goes wrong is logged: the next try comes soon. */
async function wins({ log, signal }: LeaseOptions, candidate: Candidate, term: Term): Promise<boolean> {
  try {
    return await term.extend(() => candidate.acquireOrRenew(signal));
  } catch (error) {
    const quicker = isConflict(error) || isAlreadyExists(error);
    if (!quicker && !signal.aborted) log.warn('Lease not taken', { error });
    return false;
  }
}

/** Begins to lead, unless the signal aborted in the meantime. */
async function leadership(options: LeaseOptions, candidate: Candidate, term: Term): Promise<Leadership> {
  const { log, signal } = options;
  const lost = () => log.error('Lease lost', { error: term.over.reason });
  term.over.addEventListener('abort', lost);
  log.info('Lease held');
  const renewing = keepRenewing(options, candidate, term);
  const release = async () => {
    term.over.removeEventListener('abort', lost);
    const isHeld = !term.over.aborted;
    term.end('it was released');
    await renewing;
    if (isHeld) await candidate.release().catch((error) => log.warn('Lease not released', { error }));
  };
  const { heldBefore, heldAfter } = candidate;
  const renewedMsAgo = () => term.extendedMsAgo();
  const held = { signal: term.over, release, renewedMsAgo, heldAfter };
  if (!signal.aborted) return { ...held, ...(heldBefore !== undefined && { heldBefore }) };
  await release();
  throw signal.reason;
}

/** Renews until the term is over. Never rejects. */
async function keepRenewing(options: LeaseOptions, candidate: Candidate, term: Term): Promise<void> {
  const { clock, random, retryMs, log } = options;
  while (!term.over.aborted) {
    try {
      await clock.sleep(jitter(random, retryMs), term.over);
      const held = await term.extend(() => candidate.acquireOrRenew(term.over));
      if (!held) term.end(`it is held by ${candidate.otherHolder}`);
    } catch (error) {
      if (!term.over.aborted) log.warn('Lease not renewed', { error });
    }
  }
  candidate.forgetOtherHolder();
}

function checkDurations({ durationMs, renewMs, retryMs }: LeaseOptions): void {
  if (durationMs > renewMs && renewMs > 1.2 * retryMs && retryMs > 0) return;
  throw new RangeError(
    `lease: the lease duration (${durationMs} ms) must exceed the renew deadline (${renewMs} ms), and that 1.2 times the retry period (${retryMs} ms)`,
  );
}

/**
 * Waits until this process holds all of these Leases. They are taken in their order, so that two processes never hold
 * some each and wait for one another; all are watched from the beginning, so that the terms of a dead leader pass at
 * the same time. They are lost together: one that is lost ends the leadership.
 * @throws what `lead` throws; nothing is held then
 */
export async function leadAll(names: readonly string[], options: Omit<LeaseOptions, 'name'>): Promise<Leadership> {
  const taking: Promise<Leadership>[] = [];
  for (const name of names) {
    const after = taking.at(-1);
    taking.push(lead({ ...options, name, ...(after && { after }) }));
  }
  const ends = await Promise.allSettled(taking);
  const held = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const release = async () => void (await Promise.all(held.map((one) => one.release())));
  const failed = ends.find((end) => end.status === 'rejected');
  const heldBefore = Math.min(...held.map((one) => one.heldBefore ?? 0));
  const heldAfter = Math.min(...held.map((one) => one.heldAfter ?? 0));
  const renewedMsAgo = () => Math.max(...held.map((one) => one.renewedMsAgo()));
  const signal = AbortSignal.any(held.map((one) => one.signal));
  if (!failed) return { signal, release, heldBefore, heldAfter, renewedMsAgo };
  await release();
  throw failed.reason;
}
