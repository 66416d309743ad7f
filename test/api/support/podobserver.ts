import type { Condition } from '../../../controller/runtime/k8s/core.ts';
import type { Resource } from '../../../controller/runtime/k8s/object.ts';
import { type Pod, pods } from '../../../controller/runtime/k8s/workload.ts';
import type { Shop } from './budgetedpods.ts';
import { hear, momentOf } from './changes.ts';
import type { Herd } from './herd.ts';

/** A pod with what a witness reads of it. */
type Seen = Pod & { status?: { conditions?: Condition[] } | undefined };

/** Sees each change of a herd's pods, and notes what should never be. */
export class PodWitness {
  /** What broke a promise, a sentence each. */
  readonly broken: string[] = [];
  /** Which pods (names) were on which Node, and when they ended, as moments of the API server. */
  readonly stays = new Map<string, Map<string, number>>();
  readonly #over = new AbortController();
  readonly #pods = new Map<string, Seen>();
  readonly #ready = new Map<string, Set<string>>();
  readonly #promised = new Map<string, number>();
  /** Pods that were asked to leave. */
  readonly asked = new Set<string>();
  /** Shops whose pods a drain by force may end. */
  readonly mayBeDeleted = new Set<string>();

  async follow({ api, namespace }: Herd): Promise<void> {
    await hear<Seen>(
      { api, resource: pods as Resource<Seen>, namespace, signal: this.#over.signal },
      ({ object, gone }) => this.#hear(object, gone),
    );
  }

  end(): void {
    this.#over.abort();
  }

  /** From now on the shop has at least as many ready pods as its budget wants. */
  watchOver({ name, least = 0 }: Shop): void {
    this.#promised.set(name, least);
    this.#count(name);
  }

  /** How many pods of a shop are ready. */
  ready(shop: string): number {
    return this.#ready.get(shop)?.size ?? 0;
  }

  /** Names of the Nodes on which pods are now. */
  get places(): Set<string> {
    return new Set([...this.#pods.values()].flatMap(({ spec }) => spec?.nodeName ?? []));
  }

  #hear(pod: Seen, gone: boolean): void {
    const { name, labels } = pod.metadata;
    const shop = labels?.['app'] ?? '';
    if (gone) this.#pods.delete(name);
    else this.#pods.set(name, pod);
    this.#stay(pod, gone);
    const ready = this.#ready.get(shop) ?? new Set();
    this.#ready.set(shop, ready);
    if (!gone && isReady(pod)) ready.add(name);
    else ready.delete(name);
    if ((gone || pod.metadata.deletionTimestamp) && !this.asked.has(name)) this.#judge(pod);
    this.#count(shop);
  }

  #stay(pod: Seen, gone: boolean): void {
    const node = pod.spec?.nodeName;
    if (!node) return;
    const stays = this.stays.get(node) ?? new Map();
    this.stays.set(node, stays.set(pod.metadata.name, gone ? momentOf(pod) : Infinity));
  }

  /** The API server notes on a pod that it was evicted: on one that was only deleted it does not. */
  #judge({ metadata: { name, labels }, status }: Seen): void {
    this.asked.add(name);
    if (this.mayBeDeleted.has(labels?.['app'] ?? '')) return;
    const why = status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason;
    if (why !== 'EvictionByEvictionAPI') this.broken.push(`${name} was deleted without an eviction`);
  }

  #count(shop: string): void {
    const least = this.#promised.get(shop) ?? 0;
    if (this.ready(shop) < least) this.broken.push(`${shop} had ${this.ready(shop)} ready pods, not ${least}`);
  }
}

/** As the disruption controller counts. */
const isReady = ({ metadata, status }: Seen): boolean =>
  !metadata.deletionTimestamp &&
  (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false);
