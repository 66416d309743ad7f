import type { Credentials } from './keypair.ts';

/** Where the webhook's certificate comes from; one for each mode. */
export interface Source {
  /**
   * The certificate to serve now, renewed when that was due. Throws when there is none, or it could not be renewed.
   */
  current(signal: AbortSignal): Promise<Served>;
}

export interface Served {
  pair: Credentials;
  /** PEM certificate of the authority, where it is known. */
  authority?: string;
  /** What still stands in the way of being called, in words; asked again soon. */
  missing?: readonly string[];
}
