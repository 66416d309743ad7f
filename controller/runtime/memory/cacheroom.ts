import { shareOf } from '../fairness/bounds.ts';

const MIB = 1 << 20;

/** What is counted of others, and what may be had at the most, for a byte that was granted: who has come before may grow by an eighth. */
const RESERVE = 9 / 8;

/** How much bounded caches may hold, in bytes as `weight.ts` estimates them. */
export interface RoomBounds {
  /** All together. */
  all: number;
  /** All of one cluster. */
  each: number;
  /** A party has at most half of what the others leave (hack/decisions/0045); one alone may have all otherwise. */
  shared: boolean;
}

/** The memory that bounded caches have together: of clusters, which belong to parties (hack/decisions/0034). */
export class CacheRoom {
  readonly #bounds: RoomBounds;
  readonly #parties = new Map<string, number>();
  #taken = 0;

  constructor(bounds: RoomBounds) {
    this.#bounds = bounds;
  }

  /** What all caches hold, in bytes. */
  get taken(): number {
    return this.#taken;
  }

  /** The part of one more cluster of a party. */
  open(party: string): ClusterRoom {
    return new ClusterRoom(this, party);
  }

  /**
   * Why a cluster may not hold `wanted` bytes in the place of the `counted` ones, in words that tell nothing of others; undefined if it
   * may. @param own all that is counted of the cluster
   */
  refusal(
    party: string,
    { own, counted, wanted }: { own: number; counted: number; wanted: number },
  ): string | undefined {
    const { all, each, shared } = this.#bounds;
    const change = wanted - counted;
    if (own + change > each) return `${mib(each)}, all kinds of its cluster together`;
    // Where nobody shares, the other clusters of the party are who came before.
    const taken = shared ? (this.#parties.get(party) ?? 0) : own;
    const others = Math.min(all, (this.#taken - taken) * RESERVE);
    const most = shareOf(all, others, shared);
    return taken + change > most ? `what others leave of the ${mib(all)} of all clusters` : undefined;
  }

  /** Whether a cluster that came before may have what the others leave of all, with what was kept for it. */
  reserves({ own, counted, wanted }: { own: number; counted: number; wanted: number }): boolean {
    const change = wanted - counted;
    return own + change <= this.#bounds.each && this.#taken + change <= this.#bounds.all;
  }

  /** Counts so many bytes more, or less, of a party. */
  count(party: string, change: number): void {
    this.#taken += change;
    const taken = (this.#parties.get(party) ?? 0) + change;
    if (taken > 0) this.#parties.set(party, taken);
    else this.#parties.delete(party);
  }
}

const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;

/** What the caches of one cluster hold together. */
export class ClusterRoom {
  readonly #room: CacheRoom;
  readonly #party: string;
  readonly #accounts = new Map<string, CacheAccount>();
  #taken = 0;
  #isClosed = false;

  constructor(room: CacheRoom, party: string) {
    this.#room = room;
    this.#party = party;
  }

  /** The account of one cache, by a name of the caller's. */
  account(name: string): CacheAccount {
    const known = this.#accounts.get(name) ?? new CacheAccount(this);
    this.#accounts.set(name, known);
    return known;
  }

  /** See {@link CacheRoom.refusal}. */
  refusal(counted: number, wanted: number): string | undefined {
    return this.#room.refusal(this.#party, { own: this.#taken, counted, wanted });
  }

  /** See {@link CacheRoom.reserves}. */
  reserves(counted: number, wanted: number): boolean {
    return this.#room.reserves({ own: this.#taken, counted, wanted });
  }

  /** Counts so many bytes more, or less. */
  count(change: number): void {
    if (this.#isClosed) return;
    this.#taken += change;
    this.#room.count(this.#party, change);
  }

  /** The cluster is followed no more: all that it held is free. */
  close(): void {
    this.count(-this.#taken);
    this.#isClosed = true;
  }
}

/**
 * What one cache holds. Of a list under way it counts what is more than the cache holds already: most of its objects are those that are
 * there (cache.ts), and it replaces the others. What is held by right may be listed anew, whoever has come since, and an eighth more,
 * which others leave; what is let go is nobody's.
 */
export class CacheAccount {
  readonly #cluster: Pick<ClusterRoom, 'refusal' | 'reserves' | 'count'>;
  #used = 0;
  #granted = 0;
  #listed = 0;

  constructor(cluster: Pick<ClusterRoom, 'refusal' | 'reserves' | 'count'>) {
    this.#cluster = cluster;
  }

  /** What the cache holds, in bytes. */
  get used(): number {
    return this.#used;
  }

  /** A list has brought so many bytes more; answers why that is too much, if it is. */
  list(bytes: number): string | undefined {
    this.#set({ listed: this.#listed + bytes });
    return this.#refusal(this.#listed);
  }

  /** The list under way has ended and is not kept, or begins anew. */
  drop(): void {
    this.#set({ listed: 0 });
  }

  /** What was listed is what the cache holds now. */
  settle(): void {
    this.#set({ used: this.#listed, listed: 0 });
    this.#grant();
  }

  /** The cache holds so many bytes more, or less; answers why that is too much, if it is. */
  grow(bytes: number): string | undefined {
    this.#set({ used: this.#used + bytes });
    const why = bytes > 0 ? this.#refusal(this.#used) : undefined;
    this.#grant();
    return why;
  }

  #refusal(wanted: number): string | undefined {
    if (wanted <= this.#granted) return undefined;
    const why = this.#cluster.refusal(this.#counted, wanted);
    const isLittle = wanted <= this.#granted * RESERVE;
    return why !== undefined && isLittle && this.#cluster.reserves(this.#counted, wanted) ? undefined : why;
  }

  /** A grant is worth no more than what is held under it, and rises by what anybody could have now. */
  #grant(): void {
    const isFree = this.#cluster.refusal(this.#counted, this.#used) === undefined;
    this.#granted = isFree ? this.#used : Math.min(this.#granted, this.#used);
  }

  #set({ used = this.#used, listed = this.#listed }: { used?: number; listed?: number }): void {
    const before = this.#counted;
    this.#used = used;
    this.#listed = listed;
    this.#cluster.count(this.#counted - before);
  }

  get #counted(): number {
    return Math.max(this.#used, this.#listed);
  }
}

/** An account of its own, bounded by so many bytes. */
export const accountOf = (bytes: number): CacheAccount =>
  new CacheRoom({ all: bytes, each: bytes, shared: false }).open('').account('');
