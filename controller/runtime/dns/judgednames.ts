import { type Clock, unlessAborted } from '../clock.ts';
import { complaintOf, type Trust } from './embedded.ts';

/**
 * Finds the addresses of a name, at least one. Rejects when there is none, with the code `DNS_ENOTFOUND` where DNS says so: any other
 * error says nothing about the name.
 */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** What names are judged by. */
export interface NameJudging {
  trust: Trust;
  resolve: Resolve;
  clock: Clock;
}

/**
 * Milliseconds: for how long the addresses of a name are used before it is asked for again; for how long the last ones while nobody says which it has;
 * and how long somebody waits for the answer who has those.
 */
const TIMES_MS = { fresh: 10_000, last: 600_000, patience: 2_000 };

/** A server, or a proxy, has an address at which nobody may be called. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED';

  /** @param whose host as its URL names it */
  constructor(whose: string, address: string, is: string) {
    const what = whose === address ? `${address} is ${is}` : `${whose} has the address ${address}, which is ${is}`;
    super(`${what}: no Cluster may lead there unless --cluster-server-allow says so`);
    this.name = 'AddressRefused';
  }
}

/** A name has more addresses than any API server's. */
export class TooManyAddresses extends Error {
  readonly code = 'ERR_TOO_MANY_ADDRESSES';

  /** @param most that are judged */
  constructor(name: string, most: number) {
    super(`the name ${name} has more than ${most} addresses, the most that are judged`);
    this.name = 'TooManyAddresses';
  }
}

/** Throws AddressRefused if one of the addresses is a refused one: the name is somebody's trick. */
export function refuse(whose: string, addresses: readonly string[], trust: Trust): void {
  for (const address of addresses) {
    const complaint = complaintOf(address, trust);
    if (complaint !== undefined) throw new AddressRefused(whose, address, complaint);
  }
}

interface Known {
  addresses: readonly string[];
  judgedAt: number;
  askedAt: number;
  choice: AddressChoice;
}

interface Asking {
  found: Promise<Known>;
  /** What was found, or was known before when that takes long. */
  soon: Promise<Known>;
}

/** Judged addresses of names, and which of them is called. */
export class JudgedNames {
  readonly #judging: NameJudging;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Asking>();

  constructor(judging: NameJudging) {
    this.#judging = judging;
  }

  /** Where to call a name. Rejects with AddressRefused, as the resolver does, or with the signal's reason. */
  async addressOf(name: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { choice, addresses } = await this.#of(name, signal);
    return choice.of(addresses);
  }

  /** What came of a connection to an address of a name. */
  ended(name: string, address: string, did: 'answered' | 'failed'): void {
    this.#known.get(name)?.choice[did](address);
  }

  async #of(name: string, signal: AbortSignal | undefined): Promise<Known> {
    const known = this.#known.get(name);
    if (known && this.#since(known.askedAt) < TIMES_MS.fresh) return known;
    const { found, soon } = this.#asking.get(name) ?? this.#ask(name, known);
    const answer = this.#isUsable(known) ? soon : found;
    return await (signal ? unlessAborted(answer, signal) : answer);
  }

  #ask(name: string, known: Known | undefined): Asking {
    const found = this.#judged(name, known).finally(() => this.#asking.delete(name));
    const { promise: soon, resolve, reject } = Promise.withResolvers<Known>();
    const enough = known ? this.#judging.clock.after(TIMES_MS.patience, () => resolve(known)) : () => {};
    found.then(resolve, reject).finally(enough);
    soon.catch(() => {});
    const asking = { found, soon };
    this.#asking.set(name, asking);
    return asking;
  }

  async #judged(name: string, known: Known | undefined): Promise<Known> {
    const { clock, resolve, trust } = this.#judging;
    let next: Known;
    try {
      const addresses = await resolve(name);
      if (!trust.hasName(name)) refuse(name, addresses, trust);
      const now = clock.monotonic();
      next = { addresses, judgedAt: now, askedAt: now, choice: known?.choice ?? new AddressChoice() };
    } catch (error) {
      this.#known.delete(name);
      if (!known || !this.#isUsable(known) || saysSomething(error)) throw error;
      next = { ...known, askedAt: clock.monotonic() };
    }
    this.#known.set(name, next);
    return next;
  }

  #isUsable(known: Known | undefined): boolean {
    return known !== undefined && this.#since(known.judgedAt) < TIMES_MS.last;
  }

  #since(moment: number): number {
    return this.#judging.clock.monotonic() - moment;
  }
}

/** The error is about the name, and not that nobody could be asked. */
const saysSomething = (error: unknown): boolean =>
  error instanceof AddressRefused ||
  error instanceof TooManyAddresses ||
  (error as { code?: unknown }).code === 'DNS_ENOTFOUND';

/**
 * Which of the addresses of a name is called: the one that answered last. Once that fails it is the one that never failed, or else that
 * failed longest ago, in the order of the addresses. Failures of others change nothing, so that calls that were made
 * side by side to a dead address lead on to the next one together.
 */
export class AddressChoice {
  readonly #failed = new Map<string, number>();
  #failures = 0;
  #preferred: string | undefined;

  /** The one to call of those that the name has now; undefined of none. */
  of(addresses: readonly string[]): string | undefined {
    for (const gone of [...this.#failed.keys()].filter((one) => !addresses.includes(one))) this.#failed.delete(gone);
    if (this.#preferred === undefined || !addresses.includes(this.#preferred))
      this.#preferred = addresses.toSorted((one, other) => this.#failedAt(one) - this.#failedAt(other))[0];
    return this.#preferred;
  }

  /** Somebody there has answered. */
  answered(address: string): void {
    this.#failed.delete(address);
    this.#preferred = address;
  }

  /** No connection was made to it, or no answer came. */
  failed(address: string): void {
    this.#failures += 1;
    this.#failed.set(address, this.#failures);
    if (this.#preferred === address) this.#preferred = undefined;
  }

  #failedAt(address: string): number {
    return this.#failed.get(address) ?? 0;
  }
}

/** For how long a name that has too many addresses is not asked for again, milliseconds, and how many such names are known. */
const KEPT = { ms: 300_000, names: 1_000 };

/** Names that have too many addresses: each answer that says so is long, and costs the event loop its time. */
export class CrowdedNames {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #known = new Map<string, { error: TooManyAddresses; at: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** What is asked for, unless the name was refused of late. Throws TooManyAddresses, or whatever the question does. */
  async unless<V>(name: string, ask: () => Promise<V>): Promise<V> {
    const known = this.#known.get(name);
    if (known && this.#clock.monotonic() - known.at < KEPT.ms) throw known.error;
    try {
      return await ask();
    } catch (error) {
      if (error instanceof TooManyAddresses) this.#keep(name, error);
      throw error;
    }
  }

  #keep(name: string, error: TooManyAddresses): void {
    this.#known.delete(name);
    this.#known.set(name, { error, at: this.#clock.monotonic() });
    const [first] = this.#known.keys();
    if (this.#known.size > KEPT.names && first !== undefined) this.#known.delete(first);
  }
}
