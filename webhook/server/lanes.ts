import { join } from 'node:path';

/** Who sends a request, as far as the connection tells. */
export interface Client {
  /** IP address, or `others` where too many are connected to tell them apart. */
  address: string;
  /** Whether the client has shown a certificate of the authority that was asked for; false where none is. */
  trusted: boolean;
}

/** Answers a request of a client. */
export type Fetch = (request: Request, client: Client) => Response | Promise<Response>;

/** So many clients have a lane of their own; all that come later share one. */
const MOST_LANES = 64;
const OTHERS = 'others';
/** Idle connections end after so many seconds: the API server keeps its own open, and one that ends early races with it. */
export const IDLE_SECONDS = 120;
/** Bun cuts off the connection of a body beyond this. Far above the server's own limit, which answers with a sentence. */
const MOST_BODY_BYTES = 1024 ** 3;
/** For a socket in the file system, where Bun heeds it but its types do not know it. */
const idle: object = { idleTimeout: IDLE_SECONDS };

/** A server of plain HTTP for the connections of one client. */
interface Lane {
  unix: string;
  server: { stop(now?: boolean): Promise<void> };
  /** Connections that are open. */
  open: number;
}

/**
 * Servers of plain HTTP behind sockets in a private folder, one for each client: a stream that reaches Bun.serve through a
 * socket tells nothing of where it came from but the socket itself.
 */
export class Lanes {
  readonly #folder: string;
  readonly #fetch: Fetch;
  readonly #lanes = new Map<string, Lane>();
  #made = 0;

  constructor({ folder, fetch }: { folder: string; fetch: Fetch }) {
    this.#folder = folder;
    this.#fetch = fetch;
  }

  /** The socket for one more connection of a client, and what to call when that connection ends. */
  enter(client: Client): { unix: string; leave(): void } {
    const key = keyOf(client);
    if (!this.#lanes.has(key)) this.#makeRoom();
    const isFull = !this.#lanes.has(key) && this.#lanes.size >= MOST_LANES;
    const lane = this.#laneOf(isFull ? { ...client, address: OTHERS } : client);
    lane.open++;
    return {
      unix: lane.unix,
      leave() {
        lane.open--;
      },
    };
  }

  /** Takes no more connections and resolves once the requests under way have been answered. */
  async stop(now?: boolean): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ server }) => server.stop(now)));
  }

  #laneOf(client: Client): Lane {
    const known = this.#lanes.get(keyOf(client));
    if (known) return known;
    const unix = join(this.#folder, `${++this.#made}.sock`);
    const fetch = (request: Request) => this.#fetch(request, client);
    const server = Bun.serve({ unix, fetch, maxRequestBodySize: MOST_BODY_BYTES, ...idle });
    const lane: Lane = { unix, server, open: 0 };
    this.#lanes.set(keyOf(client), lane);
    return lane;
  }

  /** Ends the oldest lane that nobody uses, where there are as many as there may be. */
  #makeRoom(): void {
    if (this.#lanes.size < MOST_LANES) return;
    const unused = [...this.#lanes].find(([, { open }]) => open === 0);
    if (!unused) return;
    const [key, { server }] = unused;
    this.#lanes.delete(key);
    void server.stop(true);
  }
}

const keyOf = ({ address, trusted }: Client): string => `${trusted} ${address}`;

/**
 * Something scarce that nobody can use up alone: whoever holds some leaves at least as much free as they hold. One holder has
 * half of it at most, two have a third each, and whoever comes next still finds some (the dynamic thresholds by which
 * switches share their buffers: Choudhury and Hahne, 1998).
 */
export class Shares {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #sum = 0;

  /** @param total in any unit. */
  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Takes some for a holder, unless that would leave less free than the holder then has: false takes nothing.
   * @param part of what the holder might have, from 0 to 1: less keeps some for the other wishes of the same holder
   */
  take(who: string, amount: number, part = 1): boolean {
    const held = (this.#held.get(who) ?? 0) + amount;
    const others = this.#sum + amount - held;
    if (2 * held > part * (this.#total - others)) return false;
    this.#held.set(who, held);
    this.#sum += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(who: string, amount: number): void {
    const left = (this.#held.get(who) ?? 0) - amount;
    if (left > 0) this.#held.set(who, left);
    else this.#held.delete(who);
    this.#sum -= amount;
  }
}
