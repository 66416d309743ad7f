import type { Connection, Credentials, Tls } from './connection.ts';

/** A connection whose way to the API server can be exchanged while it is in use: the next request takes the new one. */
export class Exchangeable implements Connection {
  #current: Connection;
  readonly credentials: Credentials = {
    header: () => this.#current.credentials.header(),
    refresh: (refused) => this.#current.credentials.refresh(refused),
  };
  readonly send = (url: string, request: BunFetchRequestInit): Promise<Response> =>
    (this.#current.send ?? fetch)(url, request);

  constructor(first: Connection) {
    this.#current = first;
  }

  /** Takes this way from now on; requests under way end on the old one. */
  exchange(next: Connection): void {
    this.#current = next;
  }

  get server(): string {
    return this.#current.server;
  }

  /** None for a connection without TLS of its own. */
  get tls(): Tls {
    return this.#current.tls ?? {};
  }
}
