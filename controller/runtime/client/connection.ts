import type { TextFile } from '../textfile.ts';

/** What proves to an API server who is calling, apart from client certificates, which are part of TLS. */
export interface Credentials {
  /** Value of the Authorization header, if any. */
  header(): string | undefined | Promise<string | undefined>;
  /**
   * Forgets what was read: the next header(), and the connection's next `tls`, read anew. With what a server refused only
   * that is forgotten: calls that were under way with it are refused one after the other, when others have long been read.
   */
  refresh(refused?: Proof): void;
}

/** By what a call proved who makes it. */
export interface Proof {
  /** The Authorization header. */
  header: string | undefined;
  /** The client certificate, PEM. */
  cert: string | undefined;
}

/** How the server proves itself, and a client certificate; all in PEM. */
export interface Tls {
  ca?: string;
  cert?: string;
  key?: string;
  /** Name to look for in the server's certificate instead of the URL's host. */
  serverName?: string;
  rejectUnauthorized?: boolean;
}

/** A way to an API server. `tls` is read for each request, after the header, so that it may follow files that rotate. */
export interface Connection {
  /** URL without a slash at the end. */
  server: string;
  readonly tls?: Tls;
  credentials: Credentials;
  /** Namespace that goes with the connection: the kubeconfig context's, or the pod's own. */
  namespace?: string;
  /** Sends a request, as `fetch` does and fails; absent, that is what sends it. */
  send?: (url: string, request: BunFetchRequestInit) => Promise<Response>;
}

/** Credentials of a connection that needs none, or that proves itself by a client certificate alone. */
export const noCredentials: Credentials = { header: () => undefined, refresh: () => {} };

/** A token that never changes. */
export const tokenCredentials = (token: string): Credentials => ({
  header: () => `Bearer ${token}`,
  refresh: () => {},
});

/** A token in a file that others renew, as kubelet renews a ServiceAccount's. */
export const tokenFileCredentials = (file: TextFile): Credentials => ({
  header: () => `Bearer ${file.read()}`,
  refresh: () => file.forget(),
});

/** A user name and a password (RFC 7617). */
export const passwordCredentials = (username: string, password: string): Credentials => ({
  header: () => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  refresh: () => {},
});

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
