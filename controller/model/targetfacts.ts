/** Whether a policy in the cluster keeps the controller from Nodes that are not its own. */
export type GuardFact = { at: 'there' } | { at: 'missing'; why: string } | { at: 'unknown'; why: string };

/** A kind of a cluster of which there is more than is kept, and why, in words. */
export interface Outgrown {
  what: string;
  why: string;
}

/** Room for one more target: there is some, none for anybody, or none that this namespace may take. */
export type Room = 'free' | 'full' | 'shared';
