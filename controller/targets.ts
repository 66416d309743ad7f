import type { Machine } from '../schemas/machine.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { Api } from './runtime/api.ts';
import type { Cache } from './runtime/cache.ts';
import type { Node, Secret } from './runtime/core.ts';
import type { Reach } from './runtime/reach.ts';
import type { Pod, VolumeAttachment } from './runtime/workload.ts';

/** A cluster that nodes join: where to write, and what is there. */
export interface Target {
  api: Api;
  /** Whether its API server answers, and its watches deliver. */
  reach: Pick<Reach, 'fact' | 'onChange' | 'probed'>;
  nodes: Cache<Node>;
  /** Nodes that no longer renew their Leases; undefined when Leases are not looked at. */
  heartbeats: Pick<Heartbeats, 'isSilent'> | undefined;
  /** With the index `node`; only what drains read of them. */
  pods: Cache<Pod>;
  /** With the indexes `node` and `volume` (name of the PersistentVolume). */
  attachments: Cache<VolumeAttachment>;
  /** Bootstrap tokens that this installation made, with the index `machine` (UID). */
  tokens: Cache<Secret>;
}

/** Finds the target cluster of a Machine; undefined when it has none, which is legal (MCM 0.2). */
export interface Targets {
  of(machine: Machine): Target | undefined;
}

/** One target, or none, for every Machine. */
export const oneTarget = (target: Target | undefined): Targets => ({ of: () => target });
