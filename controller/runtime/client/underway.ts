import { CacheAccount, type ClusterRoom } from '../room/cacheroom.ts';

/** Bytes of an answer, or of a line, that anybody may have under way: whoever is refused more asks for smaller pages (listing.ts). */
const FREE = 64 << 10;

/** Counts what came of one answer, or of a line, that is not whole yet: whoever sends it may never end it. */
export class Underway {
  readonly #account: CacheAccount | undefined;

  /** @param room of the cluster; absent for servers that are trusted */
  constructor(room: ClusterRoom | undefined) {
    this.#account = room && new CacheAccount(room);
  }

  /** So many bytes are there now; answers whether that is more than there is room for. */
  isTooMuch(bytes: number): boolean {
    const account = this.#account;
    return account?.grow(Math.max(0, bytes - FREE) - account.held) !== undefined;
  }

  /** It is whole, or given up. */
  end(): void {
    this.#account?.grow(-this.#account.held);
  }
}
