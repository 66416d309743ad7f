import type { Heard } from '../model/target.ts';
import type { Api } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Lease, leases, type Node } from '../runtime/k8s/core.ts';
import type { OwnerReference } from '../runtime/k8s/object.ts';
import type { CacheAccount } from '../runtime/memory/cacheroom.ts';
import type { Log } from '../runtime/observability/log.ts';

/** Namespace of the heart-beats of Nodes (KEP-589). */
const NAMESPACE = 'kube-node-lease';
/** How often Leases are looked at within the time that makes a Node silent. */
const LOOKS = 6;
/** So many looks that were missed make what is remembered worthless. */
const MISSED_LOOKS = 3;

interface Beat {
  renewTime: string;
  /** UID of the Node whose Lease it is, where the Lease tells. */
  owner: string | undefined;
  /** When this renewal was first seen, by our own clock: those of kubelets may be wrong. */
  seenAt: number;
  /** It came after the look at this moment, which saw another one. */
  after?: number | undefined;
}

/**
 * Which Nodes have stopped renewing their Leases. A Node without a Lease is never silent, and no Node is until this process has watched for
 * the whole time itself: after a list of Leases that failed, or came late, the time starts anew for all.
 */
export class Heartbeats {
  readonly #limitMs: number;
  readonly #changed: (nodeName: string) => void;
  #beats = new Map<string, Beat>();
  #silent = new Set<string>();
  #lookedAt = 0;

  /** @param o `limitMs` makes a Node silent; `changed` is told of Nodes that fall silent or are heard again */
  constructor(o: { limitMs: number; changed(nodeName: string): void }) {
    this.#limitMs = o.limitMs;
    this.#changed = (name) => o.changed(name);
  }

  /** How long to wait for the next look, milliseconds. */
  get periodMs(): number {
    return this.#limitMs / LOOKS;
  }

  /** Takes note of all Leases that are there. */
  saw(there: readonly Lease[], now: number): void {
    if (now - this.#lookedAt > MISSED_LOOKS * this.periodMs) this.#beats.clear();
    this.#beats = new Map(there.flatMap((lease) => this.#beatOf(lease, now)));
    this.#lookedAt = now;
    this.#judge();
  }

  /** A look failed. */
  missed(): void {
    this.#beats.clear();
    this.#judge();
  }

  /** Its Lease can be read, and is not renewed. */
  isSilent(node: Node): boolean {
    const beat = this.#beats.get(node.metadata.name);
    return beat !== undefined && isOf(beat, node) && this.#silent.has(node.metadata.name);
  }

  /** Moments are those of our own monotonic clock; undefined for a Node of which no Lease tells. */
  heard(node: Node): Heard | undefined {
    const beat = this.#beats.get(node.metadata.name);
    if (!beat || !isOf(beat, node)) return undefined;
    return beat.after === undefined ? {} : { livedAt: beat.after };
  }

  #judge(): void {
    const late = [...this.#beats].filter(([, { seenAt }]) => this.#lookedAt - seenAt >= this.#limitMs);
    const before = this.#silent;
    this.#silent = new Set(late.map(([name]) => name));
    for (const name of before.symmetricDifference(this.#silent)) this.#changed(name);
  }

  #beatOf({ metadata: { name, ownerReferences }, spec }: Lease, now: number): Array<[string, Beat]> {
    const { renewTime } = spec ?? {};
    if (!renewTime) return [];
    const before = this.#beats.get(name);
    const owner = ownerReferences?.find(isOfNode)?.uid;
    if (before?.renewTime === renewTime) return [[name, { ...before, owner }]];
    return [[name, { renewTime, owner, seenAt: now, ...(before && { after: this.#lookedAt }) }]];
  }
}

/** A Lease that does not tell whose it is goes by its name. */
const isOf = ({ owner }: Beat, { metadata: { uid } }: Node): boolean => owner === undefined || owner === uid;

/** What Leases are looked at with. */
export interface HeartbeatParts {
  api: Pick<Api, 'list'>;
  clock: Clock;
  log: Log;
  /** Where what is remembered is counted; absent for a cluster of the operator. */
  account?: CacheAccount | undefined;
}

/** A Lease with what is read of it. */
const slimLease = ({ metadata: { name, uid, ownerReferences }, spec }: Lease): Lease => ({
  metadata: {
    name,
    ...(uid && { uid }),
    ...(ownerReferences && { ownerReferences: ownerReferences.filter(isOfNode) }),
  },
  spec: spec?.renewTime === undefined ? {} : { renewTime: spec.renewTime },
});

const isOfNode = ({ kind }: OwnerReference): boolean => kind === 'Node';

/** Looks at the Leases of a cluster again and again, until the signal aborts. */
export async function followHeartbeats(
  heartbeats: Heartbeats,
  { api, clock, log, account }: HeartbeatParts,
  signal: AbortSignal,
): Promise<void> {
  let failed = false;
  while (!signal.aborted) {
    try {
      const options = { namespace: NAMESPACE, resourceVersion: '0', keep: slimLease, account, signal };
      const { items } = await api.list(leases, options);
      heartbeats.saw(items, clock.monotonic());
      account?.settle();
      failed = false;
    } catch (error) {
      heartbeats.missed();
      account?.drop();
      account?.settle();
      if (!failed && !signal.aborted) log.warn('Leases of Nodes cannot be read', { namespace: NAMESPACE, error });
      failed = true;
    }
    await clock.sleep(heartbeats.periodMs, signal).catch(() => {});
  }
}
