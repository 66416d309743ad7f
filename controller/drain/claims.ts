import { type Clock, Deadline, unlessAborted } from '../runtime/clock.ts';
import { weightOf } from '../runtime/memory/weight.ts';
import { jitter, type Random } from '../runtime/random.ts';
import { EVICTION_RETRY_MS } from './flow/plan.ts';

/** Said of a pod or a claim in the place of what was. */
export const NO_ROOM =
  'there is no room for what the API server of the target cluster says of it (--cluster-cache-mib)';

/** The volume of a claim. */
export interface ClaimedVolume {
  /** Name of the PersistentVolume. */
  name: string;
  /** The driver's id of it, as the Node's list of attached volumes contains it. */
  id?: string;
  /** The driver knows it, or cannot tell: the next pod with volumes waits until it has moved. */
  followed: boolean;
}

/** Why a claim has no volume: it is unbound or missing; or the controller has no right to read it. */
export type NoVolume = 'unbound' | 'unreadable';

/** So many claims are looked up at once. */
const MOST = 4;
/** How soon one is asked again that had none, and how soon another one: who names thousands holds up nothing. */
const AGAIN_MS = { same: 60_000, any: 1_000 };
/** Longest time of a look-up, the driver's word included. */
const LOOKUP_MS = 45_000;

type LookUp = (parts: { signal: AbortSignal; clock: Clock }) => Promise<ClaimedVolume | NoVolume>;

interface Claim {
  inFlight: boolean;
  retryAt: number;
  /** What it was at last. */
  known?: ClaimedVolume | NoVolume;
  failure?: string;
  bytes?: number;
}

const bytesOf = ({ known, failure = '' }: Claim): number =>
  weightOf([failure, ...(typeof known === 'object' ? [known.name, known.id ?? ''] : [])]);

const UNSEEN: Claim = { inFlight: false, retryAt: Number.NEGATIVE_INFINITY };

/** What is known of a claim: `pending` before the first answer. */
export type ClaimFact =
  | { at: 'pending' }
  | { at: 'failed'; reason: string }
  | { at: 'known'; volume: ClaimedVolume | NoVolume };

/** Which volumes the claims of a Node's pods stand for, as far as that was looked up. Claims are namespace/name. */
export class ClaimedVolumes {
  readonly #claims = new Map<string, Claim>();
  readonly #o: { clock: Clock; random: Random; signal: AbortSignal; enqueue: () => void };
  #againAt = Number.NEGATIVE_INFINITY;

  constructor(o: { clock: Clock; random: Random; signal: AbortSignal; enqueue: () => void }) {
    this.#o = o;
  }

  /** How far the claim is known. */
  of(claim: string): ClaimFact {
    const { known, failure } = this.#claims.get(claim) ?? {};
    if (known) return { at: 'known', volume: known };
    return failure === undefined ? { at: 'pending' } : { at: 'failed', reason: failure };
  }

  /** Volumes of all claims that are known, those of pods that left included. */
  *volumes(): Iterable<ClaimedVolume> {
    for (const { known } of this.#claims.values()) if (typeof known === 'object') yield known;
  }

  /** What of them the API server and the driver have said takes so many bytes (weight.ts). */
  get bytes(): number {
    let sum = 0;
    for (const { bytes = 0 } of this.#claims.values()) sum += bytes;
    return sum;
  }

  /** Leaves out what nothing is decided by, and ids: there is no room for it. A volume without an id is followed by its attachment. */
  shorten(): void {
    for (const claim of this.#claims.values()) {
      const { known } = claim;
      if (claim.failure !== undefined) claim.failure = NO_ROOM;
      if (typeof known === 'object') claim.known = { name: known.name, followed: known.followed };
      claim.bytes = bytesOf(claim);
    }
  }

  /** Of these claims it goes on knowing, and of these volumes: a target may show ever new ones. */
  keep(claims: ReadonlySet<string>, volumes: ReadonlySet<string>): void {
    for (const [claim, { inFlight, known }] of this.#claims) {
      const isAttached = typeof known === 'object' && volumes.has(known.name);
      if (!inFlight && !claims.has(claim) && !isAttached) this.#claims.delete(claim);
    }
  }

  /** Those of the claims that are to be looked up now. */
  due(claims: Iterable<string>): string[] {
    const now = this.#o.clock.monotonic();
    const all = [...claims].map((claim) => ({ claim, ...(this.#claims.get(claim) ?? UNSEEN) }));
    const due = all.filter(({ inFlight, retryAt }) => !inFlight && retryAt <= now);
    const unseen = due.filter(({ known }) => !known).map(({ claim }) => claim);
    const inFlight = [...this.#claims.values()].filter((claim) => claim.inFlight).length;
    if (unseen.length > 0 || inFlight > 0 || now < this.#againAt) return unseen.slice(0, Math.max(0, MOST - inFlight));
    // It may have been bound since.
    const [again] = due.filter(({ known }) => typeof known === 'string').toSorted((a, b) => a.retryAt - b.retryAt);
    return again ? [again.claim] : [];
  }

  /** Looks a claim up, unless that is under way. Nothing is awaited: the drain is enqueued when there is an answer. */
  lookUp(claim: string, run: LookUp): void {
    const entry = this.#claims.get(claim) ?? { ...UNSEEN };
    if (entry.inFlight || typeof entry.known === 'object') return;
    entry.inFlight = true;
    this.#claims.set(claim, entry);
    this.#againAt = this.#o.clock.monotonic() + AGAIN_MS.any;
    void this.#ask(entry, run);
  }

  async #ask(claim: Claim, run: LookUp): Promise<void> {
    const { clock, random, signal: parent, enqueue } = this.#o;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: LOOKUP_MS, parent, reason });
    try {
      claim.known = await unlessAborted(run({ signal: deadline.signal, clock }), deadline.signal);
      claim.retryAt = clock.monotonic() + AGAIN_MS.same;
    } catch (error) {
      claim.failure = error instanceof Error ? error.message : String(error);
      claim.retryAt = clock.monotonic() + jitter(random, EVICTION_RETRY_MS);
    } finally {
      deadline.end();
      claim.inFlight = false;
      claim.bytes = bytesOf(claim);
      if (!parent.aborted) enqueue();
    }
  }
}

/** A volume that is followed from Node to Node. */
export type Volume = Pick<ClaimedVolume, 'name' | 'id'>;
