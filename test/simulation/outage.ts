/**
 * How an API server is unreachable:
 * - `refuses`: nobody gets a connection, and the watches break;
 * - `hangs`: it takes requests and does them when it is back; its watches are silent as long (SIGSTOP);
 * - `fails`: it answers 500 to everything, while the watches that it has go on (its store is unreachable);
 * - `cuts`: lists and watches break in the middle, while it answers all that is short.
 */
export type OutageMode = 'refuses' | 'hangs' | 'fails' | 'cuts';

/** An outage of an API server. */
export interface Outage {
  mode: OutageMode;
  /** Since when, and until when, milliseconds. */
  since: number;
  until: number;
  /** Kubelets and the cluster's own controllers do not reach it either; otherwise only ours do not. */
  forAll: boolean;
}

/** Nothing that is asked of the server is answered, as far as our controllers are concerned. */
export const isMute = (outage: Outage | undefined): boolean => outage !== undefined && outage.mode !== 'cuts';
