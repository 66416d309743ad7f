import type { Api } from '../../runtime/client/api.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { Pod } from '../../runtime/k8s/workload.ts';
import type { Cache } from '../../runtime/watch/cache.ts';

/** A cluster that Nodes join, and caches of it that somebody else keeps running; they may still be without their first lists. */
export interface DriverTarget {
  /** Key (namespace/name) of the Cluster that machines name; empty for the default target. */
  cluster: string;
  api: Api;
  nodes: Cache<Node>;
  /** With the index `node`. */
  pods: Cache<Pod>;
  /** Aborts when the target is no longer used. */
  signal: AbortSignal;
}

/** The target clusters of an installation, which come and go. */
export interface DriverTargets {
  /** How the default target is reached; undefined when there is none, which is legal. */
  home: Api | undefined;
  /** Calls `opened` with each target that is there, and with each that comes, until the signal aborts. */
  follow(opened: (target: DriverTarget) => void, signal: AbortSignal): void;
}
