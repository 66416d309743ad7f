import { type Api, isAlreadyExists, isForbidden, isNotFound } from '../../runtime/client/api.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type ConfigMap, configMaps, namespaces } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Metrics } from '../../runtime/observability/metrics.ts';
import type { Random } from '../../runtime/random.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { runCache } from '../../runtime/watch/watch.ts';
import { CLOUD_NAMESPACE, decodeVm, encodeUpdate, encodeVm, VM_LABEL } from './configmap.ts';
import type { Presence, VmStore, VmUpdate } from './store.ts';
import type { Vm } from './vm.ts';

/** What the cluster store needs; `api` is that of the cluster that keeps them. */
export interface ClusterStoreParts {
  api: Api;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
}

const SELECTION = { namespace: CLOUD_NAMESPACE, labelSelector: `${VM_LABEL}=true` };

/**
 * Keeps VMs in a cluster, a ConfigMap each, so that they outlive the controller and a user can look at them and
 * break them. The ConfigMap's name is the VM's UID: the API server itself sees to it that a token makes one VM at most.
 */
export class ClusterStore implements VmStore {
  readonly #parts: ClusterStoreParts;
  readonly #cache: Cache<ConfigMap>;
  readonly #vms = new Map<string, Vm>();
  /** UIDs of the VMs that `delete` is taking away. */
  readonly #leaving = new Set<string>();
  readonly #listeners: Array<(vm: Vm, presence: Presence) => void> = [];

  constructor(parts: ClusterStoreParts) {
    this.#parts = parts;
    this.#cache = new Cache({ log: parts.log });
    this.#cache.onChange(({ before, after }) => (after ? this.#put(after) : before && this.#drop(before)));
  }

  async start(signal: AbortSignal): Promise<void> {
    // Where that fails, it is tried again for the first VM.
    void runCache({ ...this.#parts, ...SELECTION, resource: configMaps, cache: this.#cache, signal });
    await this.#cache.whenSynced(signal);
  }

  onChange(listener: (vm: Vm, presence: Presence) => void): void {
    this.#listeners.push(listener);
  }

  all(): Iterable<Vm> {
    return this.#vms.values();
  }

  seen(uid: string): Vm | undefined {
    return this.#vms.get(uid);
  }

  async get(uid: string, signal: AbortSignal): Promise<Vm | undefined> {
    const found = await this.#find(uid, signal);
    return found && decodeVm(found);
  }

  async list(signal: AbortSignal): Promise<Vm[]> {
    const { items } = await this.#parts.api.list(configMaps, { ...SELECTION, signal });
    return items.map(decodeVm);
  }

  async create(vm: Vm, signal: AbortSignal): Promise<Vm> {
    const made = await this.#createOrFind(encodeVm(vm), signal);
    await this.#cache.whenSeen(made, signal);
    return decodeVm(made);
  }

  async update(uid: string, change: VmUpdate, signal: AbortSignal): Promise<Vm | undefined> {
    const body = { data: encodeUpdate(change) };
    const patched = await orUndefined(
      this.#parts.api.patch(configMaps, refOf(uid), { type: 'merge', body }, { signal }),
    );
    if (patched) await this.#cache.whenSeen(patched, signal);
    return patched && decodeVm(patched);
  }

  async delete(uid: string, signal: AbortSignal): Promise<void> {
    this.#leaving.add(uid);
    try {
      await this.lose(uid, signal);
    } finally {
      this.#leaving.delete(uid);
    }
  }

  /** The ConfigMap is seen first, so that listeners cannot see its end before its beginning. */
  async lose(uid: string, signal: AbortSignal): Promise<void> {
    const there = await this.#find(uid, signal);
    if (!there) return;
    await this.#cache.whenSeen(there, signal);
    await orUndefined(this.#parts.api.delete(configMaps, refOf(uid), { signal }));
    await this.#cache.whenGone(keyOf(there), there.metadata.uid ?? '', signal);
  }

  #find(uid: string, signal: AbortSignal): Promise<ConfigMap | undefined> {
    return orUndefined(this.#parts.api.get(configMaps, refOf(uid), { signal }));
  }

  async #createOrFind(wanted: ConfigMap, signal: AbortSignal): Promise<ConfigMap> {
    const { api } = this.#parts;
    try {
      return await api.create(configMaps, wanted, { signal });
    } catch (error) {
      if (isAlreadyExists(error)) return api.get(configMaps, refOf(wanted.metadata.name), { signal });
      if (!isNotFound(error)) throw error;
      await this.#ensureNamespace(signal);
      return api.create(configMaps, wanted, { signal });
    }
  }

  /** Whoever may not make namespaces needs one that is there already, and finds out when the first VM is made. */
  async #ensureNamespace(signal: AbortSignal): Promise<void> {
    const made = this.#parts.api.create(namespaces, { metadata: { name: CLOUD_NAMESPACE } }, { signal });
    await made.catch((error) => {
      if (!isAlreadyExists(error) && !isForbidden(error)) throw error;
    });
  }

  #put(configMap: ConfigMap): void {
    const vm = decodeVm(configMap);
    this.#vms.set(vm.uid, vm);
    this.#tell(vm, 'there');
  }

  #drop(configMap: ConfigMap): void {
    const vm = decodeVm(configMap);
    this.#vms.delete(vm.uid);
    this.#tell(vm, this.#leaving.has(vm.uid) ? 'deleted' : 'vanished');
  }

  #tell(vm: Vm, presence: Presence): void {
    for (const listener of this.#listeners) listener(vm, presence);
  }
}

const refOf = (uid: string) => ({ namespace: CLOUD_NAMESPACE, name: uid });

/** What the call answers, or undefined when there is no such object. */
async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
