import type { Clock } from '../runtime/clock.ts';
import { Deadline, unlessAborted } from '../runtime/deadline.ts';
import { jitter, type Random } from '../runtime/random.ts';
import { EVICTION_RETRY_MS } from './force.ts';

/** The volume of a claim. */
export interface ClaimedVolume {
  /** Name of the PersistentVolume. */
  name: string;
  /** The driver's id of it, as the Node's list of attached volumes contains it. */
  id?: string;
  /** The driver knows it, or cannot tell: the next pod with volumes waits until it has moved. */
  followed: boolean;
}

/** So many claims are looked up at once. */
const MOST = 4;
/** Longest time of a look-up, the driver's word included. */
const LOOKUP_MS = 45_000;

type LookUp = (parts: { signal: AbortSignal; clock: Clock }) => Promise<ClaimedVolume | undefined>;

interface Claim {
  flying: boolean;
  retryAt: number;
  known: boolean;
  volume?: ClaimedVolume | undefined;
  failure?: string;
}

/** What is known of a claim: `pending` before the first answer. */
export type ClaimFact =
  | { at: 'pending' }
  | { at: 'failed'; reason: string }
  /** Without a volume it is not bound, or gone. */
  | { at: 'known'; volume?: ClaimedVolume | undefined };

/** Which volumes the claims of a Node's pods stand for, as far as that was looked up. Claims are namespace/name. */
export class ClaimedVolumes {
  readonly #claims = new Map<string, Claim>();
  readonly #o: { clock: Clock; random: Random; signal: AbortSignal; wake: () => void };

  constructor(o: { clock: Clock; random: Random; signal: AbortSignal; wake: () => void }) {
    this.#o = o;
  }

  /** How far the claim is known. */
  of(claim: string): ClaimFact {
    const { known, volume, failure } = this.#claims.get(claim) ?? {};
    if (known) return { at: 'known', volume };
    return failure === undefined ? { at: 'pending' } : { at: 'failed', reason: failure };
  }

  /** Volumes of all claims that are known, those of pods that left included. */
  *volumes(): Iterable<ClaimedVolume> {
    for (const { volume } of this.#claims.values()) if (volume) yield volume;
  }

  /** Those of the claims that are to be looked up now. */
  due(claims: Iterable<string>): string[] {
    const now = this.#o.clock.monotonic();
    const isDue = (claim: string) => {
      const { known, flying, retryAt = now } = this.#claims.get(claim) ?? {};
      return !known && !flying && retryAt <= now;
    };
    const room = MOST - [...this.#claims.values()].filter(({ flying }) => flying).length;
    return [...claims].filter(isDue).slice(0, Math.max(0, room));
  }

  /** Looks a claim up, unless that is under way. Nothing is awaited: the drain is woken when there is an answer. */
  lookUp(claim: string, run: LookUp): void {
    const remembered = this.#claims.get(claim) ?? { flying: false, retryAt: 0, known: false };
    if (remembered.flying || remembered.known) return;
    remembered.flying = true;
    this.#claims.set(claim, remembered);
    void this.#ask(remembered, run);
  }

  async #ask(claim: Claim, run: LookUp): Promise<void> {
    const { clock, random, signal: parent, wake } = this.#o;
    const reason = () => new DOMException('it took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: LOOKUP_MS, parent, reason });
    try {
      claim.volume = await unlessAborted(run({ signal: deadline.signal, clock }), deadline.signal);
      claim.known = true;
    } catch (error) {
      claim.failure = error instanceof Error ? error.message : String(error);
      claim.retryAt = clock.monotonic() + jitter(random, EVICTION_RETRY_MS);
    } finally {
      deadline.end();
      claim.flying = false;
      if (!parent.aborted) wake();
    }
  }
}
