import type { Cluster } from '../../schemas/cluster.ts';
import type { Gate } from '../safety/gate.ts';
import type { GuardFact, Outgrown, Room } from '../targetfacts.ts';

/** How the kubeconfig of a Cluster stands; `mark` differs as soon as its text does. */
export type KubeconfigFact =
  | { at: 'missing'; why: string }
  | { at: 'invalid'; why: string }
  | { at: 'usable'; mark: string };

/** How a connection that was made stands. */
export interface WayFact {
  /** Mark of the kubeconfig that it was made from. */
  mark: string;
  /** Its first lists are in, and how its server stands is known. */
  known: boolean;
  /** Which cluster it leads to (samecluster.ts); undefined while that is not known. */
  uid?: string | undefined;
  /** What of it cannot be followed any more. */
  outgrown?: Outgrown | undefined;
  /** What the last list of its Nodes failed with, as long as none has come. */
  unlisted?: WayFact['failure'];
  /** It has not answered for longer than a blip. */
  away: boolean;
  /** Why the last probe failed, by status, reason and error code only: the server's own message may tell the user what they must not know. */
  failure?: { status: number; reason: string; code?: string | undefined } | undefined;
  /** Absent before it was found out. */
  guard?: GuardFact | undefined;
}

/** Everything that one decision about a Cluster needs. */
export interface ClusterView {
  cluster: Cluster;
  kubeconfig: KubeconfigFact;
  /** The connection in use; absent while there is none. */
  way?: WayFact | undefined;
  /** Whether the process may open as many connections as one more target takes. */
  room: Room;
  /** Names of the Machines that name it, those on their way out included. */
  users: readonly string[];
  gate: Gate;
}

/** What can be done for a Cluster. */
export type ClusterAction = { do: 'addFinalizer' } | { do: 'connect' } | { do: 'removeFinalizer' };
