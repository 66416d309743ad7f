import type { Api, CallOptions } from '../client/api.ts';
import { isConflict, isNotFound } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { type Lease, leases } from '../k8s/core.ts';
import { microTimestamp, type Ref } from '../k8s/object.ts';
import type { Log } from '../observability/log.ts';

/** What a candidate needs. */
export interface CandidateOptions {
  /** Without a shared limiter: a renewal must not queue behind other calls. */
  api: Pick<Api, 'get' | 'create' | 'replace'>;
  clock: Clock;
  log: Log;
  /** Of the Lease object. */
  namespace: string;
  name: string;
  /** Unique to the process: two processes of one identity would both hold the lease. */
  identity: string;
  /** For how long after a change of the Lease others leave it to its holder, milliseconds; rounded up to seconds. */
  durationMs: number;
  /** A leader that could not renew for so long ends itself, milliseconds. */
  renewMs: number;
}

/** The Lease as another holder wrote it: it is that holder's until it was seen unchanged for its whole duration. */
interface OtherHolder {
  spec: Lease['spec'];
  expired: boolean;
  /** On the monotonic clock, and for pacing only: whether it has expired is told by the timer. */
  expiresAt: number;
  forget(): void;
}

/** One process's dealings with a Lease object. */
export class Candidate {
  readonly #options: CandidateOptions;
  /** The Lease as we wrote it last. */
  #mine: Lease | undefined;
  #otherHolder: OtherHolder | undefined;
  #heldBefore: number | undefined;
  /** What the Lease said last, and when that was asked, or this candidate began; on the monotonic clock. */
  #seen: Lease['spec'];
  #askedAt: number;
  #heldAfter: number;

  constructor(options: CandidateOptions) {
    this.#options = options;
    this.#askedAt = options.clock.monotonic();
    this.#heldAfter = this.#askedAt;
  }

  /**
   * Takes or renews the lease; false when another holds it.
   * @throws ApiError when that cannot be told; Conflict and AlreadyExists when somebody was quicker
   */
  async acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    if (this.#mine && (await this.#renew(this.#mine, signal))) return true;
    const found = await this.#read(signal);
    if (found && this.#isTaken(found)) return false;
    this.#heldBefore ??= Date.parse(found?.spec?.renewTime ?? '') || undefined;
    const { api } = this.#options;
    const lease = this.#heldByUs(found ?? newLease(this.#options));
    this.#mine = found
      ? await api.replace(leases, lease, this.#call(signal))
      : await api.create(leases, lease, this.#call(signal));
    return true;
  }

  /**
   * Reads who holds the lease, so that the term of a holder that does not renew it begins to pass.
   * @throws ApiError when that cannot be told
   */
  async look(signal: AbortSignal): Promise<void> {
    const found = await this.#read(signal);
    if (found) this.#isTaken(found);
  }

  /** Leaves the lease free for others, if it is still ours. */
  async release(): Promise<void> {
    const { api, clock, identity } = this.#options;
    const found = await this.#read();
    if (found && holderOf(found) === identity) await api.replace(leases, released(found, clock.now()), this.#call());
  }

  /** When somebody before us renewed the lease for the last time, by that one's clock; undefined when nobody did. */
  get heldBefore(): number | undefined {
    return this.#heldBefore;
  }

  /**
   * What the Lease says was written after this moment, on the monotonic clock: it said something else when it was read then; a candidate
   * that has read nothing else knows no more than when it began.
   */
  get heldAfter(): number {
    return this.#heldAfter;
  }

  /** Who holds the lease, as far as we know. */
  get otherHolder(): string | undefined {
    return this.#otherHolder?.spec?.holderIdentity;
  }

  /** Milliseconds until the other holder's lease may have expired; Infinity if nobody else holds it, or it has expired. */
  untilFree(): number {
    const { clock } = this.#options;
    return this.#otherHolder && !this.#otherHolder.expired
      ? Math.max(1, this.#otherHolder.expiresAt - clock.monotonic())
      : Infinity;
  }

  /** Forgets the other holder. */
  forgetOtherHolder(): void {
    this.#otherHolder?.forget();
    this.#otherHolder = undefined;
  }

  /** The usual case, in one call: nobody touched the Lease since we wrote it. False when somebody did. */
  async #renew(mine: Lease, signal: AbortSignal): Promise<boolean> {
    try {
      this.#mine = await this.#options.api.replace(leases, this.#heldByUs(mine), this.#call(signal));
      return true;
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      this.#mine = undefined;
      return false;
    }
  }

  async #read(signal?: AbortSignal): Promise<Lease | undefined> {
    const { api, clock, namespace, name } = this.#options;
    const askedAt = clock.monotonic();
    try {
      const found = await api.get(leases, { namespace, name }, this.#call(signal));
      this.#saw(found, askedAt);
      return found;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #saw({ spec }: Lease, askedAt: number): void {
    if (!Bun.deepEquals(this.#seen, spec)) this.#heldAfter = this.#askedAt;
    this.#seen = spec;
    this.#askedAt = askedAt;
  }

  #isTaken(lease: Lease): boolean {
    const holder = holderOf(lease);
    if (!holder || holder === this.#options.identity) {
      this.forgetOtherHolder();
      return false;
    }
    if (!this.#otherHolder || !Bun.deepEquals(this.#otherHolder.spec, lease.spec)) this.#observe(lease);
    return this.#otherHolder?.expired !== true;
  }

  /** Another holder, or a renewal of its, that we have not seen before: its term begins now. */
  #observe(lease: Lease): void {
    const { clock, log, durationMs } = this.#options;
    const holder = holderOf(lease);
    if (holder !== this.otherHolder) log.info('Lease is held by another', { holder });
    this.forgetOtherHolder();
    const ms = termOf(lease, durationMs);
    const otherHolder: OtherHolder = {
      spec: lease.spec,
      expired: false,
      expiresAt: clock.monotonic() + ms,
      forget: () => cancel(),
    };
    const cancel = clock.after(ms, () => {
      otherHolder.expired = true;
    });
    this.#otherHolder = otherHolder;
  }

  #heldByUs(lease: Lease): Lease {
    const { identity, durationMs, clock } = this.#options;
    return leaseHeldBy(lease, { identity, durationMs, now: clock.now() });
  }

  /** No call takes more than half of the time in which a leader has to renew, so that it can try twice. */
  #call(signal?: AbortSignal): CallOptions {
    return { timeoutMs: this.#options.renewMs / 2, ...(signal && { signal }) };
  }
}

/** The holder of a lease as it writes itself into it. */
export interface LeaseHolder {
  identity: string;
  durationMs: number;
  /** The current time, for people to read; no process compares it with its clock. */
  now: number;
}

/** The holder; undefined when the lease is free. */
export const holderOf = ({ spec }: Lease): string | undefined => spec?.holderIdentity || undefined;

/** For how long, in milliseconds, a lease is its holder's after a change of it was seen. */
export const termOf = ({ spec }: Lease, otherwise: number): number =>
  spec?.leaseDurationSeconds === undefined ? otherwise : spec.leaseDurationSeconds * 1000;

/** The Lease object before it is created. */
export const newLease = ({ namespace, name }: Ref): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name },
});

/** The lease as its new or old holder writes it: a new holder counts as a transition, except for the very first. */
export function leaseHeldBy(lease: Lease, { identity, durationMs, now }: LeaseHolder): Lease {
  const { acquireTime, leaseTransitions = 0 } = lease.spec ?? {};
  const renews = holderOf(lease) === identity;
  const changes = lease.spec !== undefined && !renews;
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: renews && acquireTime ? acquireTime : microTimestamp(now),
      renewTime: microTimestamp(now),
      leaseTransitions: leaseTransitions + (changes ? 1 : 0),
    },
  };
}

/** The lease as a holder leaves it behind: free, and short even for those who do not look at the holder. */
export function released(lease: Lease, now: number): Lease {
  const time = microTimestamp(now);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  };
}
