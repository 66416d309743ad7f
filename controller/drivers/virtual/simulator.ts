import { isUnanswered } from '../../runtime/client/api.ts';
import type { Clock } from '../../runtime/clock.ts';
import { leases, type Node } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import type { Pod } from '../../runtime/k8s/workload.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Metrics } from '../../runtime/observability/metrics.ts';
import { type Result, runLoop } from '../../runtime/queue/loop.ts';
import { Queue } from '../../runtime/queue/queue.ts';
import { jitter, type Random } from '../../runtime/random.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import { VM_LABEL } from './configmap.ts';
import {
  beat,
  endLease,
  endPod,
  type Kubelet,
  type NodeApi,
  register,
  report,
  unregister,
  untaint,
} from './kubelet.ts';
import { isNodeOf, judge, type LifeAction, readyOf } from './life.ts';
import { isSilence, LEASE_NAMESPACE, readyAt, silentAt } from './node.ts';
import type { Presence, VmStore } from './store.ts';
import { uidOf, type Vm } from './vm.ts';

/** What the simulator needs. */
export interface SimulatorParts {
  store: VmStore;
  /** Key of the Cluster whose VMs it looks after; empty for those of the default target. */
  cluster: string;
  /** The target cluster, and its Nodes as somebody else keeps them cached. */
  api: NodeApi;
  nodes: Cache<Node>;
  /** Its pods, likewise, with the index `node`. */
  pods: Cache<Pod>;
  /** False: VMs join no cluster, and nothing is written or awaited there. */
  joins: boolean;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
}

/** VMs that are looked after at the same time. */
const WORKERS = 16;
/** How long a VM whose Node was deleted takes to register again. */
const REGISTER_AGAIN_MS = 1_000;
/** How long a kubelet leaves a cluster alone that did not answer. */
const ASK_AGAIN_MS = 2_000;
/** What to do after one thing was done: look what comes next. */
const AGAIN: Result = { after: 0 };

/**
 * Lives the lives of the virtual VMs of one target: a loop over their UIDs, enqueued by the store, by their Nodes and by the
 * moments of their lives (life.ts). What it keeps in memory can be found out again, so a restart goes on where the last
 * one ended.
 */
export class Simulator {
  readonly #parts: SimulatorParts;
  readonly #queue: Queue;
  /** UIDs of the VMs by the names of their Nodes. */
  readonly #uids = new Map<string, string>();
  /** Node names of VMs that have vanished, until their Nodes have fallen silent. */
  readonly #ghosts = new Map<string, string>();
  /** Leases that are there, by UID, and when they were last renewed. */
  readonly #beats = new Map<string, { nodeName: string; at: number }>();
  /** UIDs of the pods that it has ended, as long as they are there. */
  readonly #ended = new Set<string>();

  constructor(parts: SimulatorParts) {
    this.#parts = parts;
    this.#queue = new Queue({ clock: parts.clock });
  }

  /** Resolves when every VM that the store has reported is simulated; ends with the signal. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#parts.joins) await this.#followNodes(signal);
    void runLoop({
      ...this.#parts,
      name: this.#parts.cluster ? `virtual ${this.#parts.cluster}` : 'virtual',
      workers: WORKERS,
      queue: this.#queue,
      priorityOf: () => 0,
      reconcile: (uid, over) => this.#reconcile(uid, over),
      signal,
    });
  }

  async #followNodes(signal: AbortSignal): Promise<void> {
    const { nodes, pods } = this.#parts;
    await nodes.whenSynced(signal);
    await this.#untilAnswered(() => this.#findLeases(signal), signal);
    for (const node of nodes.list()) this.#findGhost(node);
    const stop = nodes.onChange(({ before, after }) => this.#onNode({ before, after }));
    const stopPods = pods.onChange(({ before, after }) => this.#onPod(before, after));
    for (const end of [stop, stopPods]) signal.addEventListener('abort', end, { once: true });
  }

  #onPod(before: Pod | undefined, after: Pod | undefined): void {
    if (!after) this.#ended.delete(before?.metadata.uid ?? '');
    const uid = after && this.#isLeaving(after) ? this.#uids.get(after.spec?.nodeName ?? '') : undefined;
    if (uid !== undefined) this.#queue.add(uid);
  }

  /**
   * The pod is being deleted. One that is deleted without grace is ended all the same: the API server stores that before it deletes the
   * pod, and stops there if the client dies meanwhile.
   */
  #isLeaving({ metadata }: Pod): boolean {
    const { deletionTimestamp, deletionGracePeriodSeconds, uid = '' } = metadata;
    return deletionTimestamp !== undefined && (deletionGracePeriodSeconds !== 0 || !this.#ended.has(uid));
  }

  async #untilAnswered(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        await clock.sleep(jitter(random, ASK_AGAIN_MS), signal);
      }
    }
  }

  /** A VM of its target is new, changed or gone. */
  onVm(vm: Vm, presence: Presence): void {
    if (presence === 'there') {
      this.#uids.set(vm.nodeName, vm.uid);
      this.#ghosts.delete(vm.uid);
    } else if (this.#uids.get(vm.nodeName) === vm.uid) {
      this.#uids.delete(vm.nodeName);
    }
    if (presence === 'vanished') this.#ghosts.set(vm.uid, vm.nodeName);
    this.#queue.add(vm.uid);
  }

  /** Enqueues the VM that the Node is of, and the VM whose place it takes. */
  #onNode({ before, after }: { before: Node | undefined; after: Node | undefined }): void {
    const node = after ?? before;
    if (!node) return;
    const enqueue = { after: after ? 0 : REGISTER_AGAIN_MS };
    for (const uid of new Set([uidOf(node.spec?.providerID), this.#uids.get(node.metadata.name)])) {
      if (uid !== undefined) this.#queue.add(uid, enqueue);
    }
  }

  async #findLeases(signal: AbortSignal): Promise<void> {
    const { items } = await this.#parts.api.list(leases, {
      namespace: LEASE_NAMESPACE,
      labelSelector: VM_LABEL,
      signal,
    });
    for (const { metadata, spec } of items) {
      const uid = metadata.labels?.[VM_LABEL] ?? '';
      this.#beats.set(uid, { nodeName: metadata.name, at: Date.parse(spec?.renewTime ?? '') || 0 });
      this.#queue.add(uid);
    }
  }

  /** A Node without its VM: that vanished while nobody looked. */
  #findGhost(node: Node): void {
    const uid = uidOf(node.spec?.providerID);
    if (uid === undefined || this.#parts.store.seen(uid)) return;
    this.#ghosts.set(uid, node.metadata.name);
    this.#queue.add(uid);
  }

  async #reconcile(uid: string, signal: AbortSignal): Promise<Result> {
    const { store, api, clock, random } = this.#parts;
    const kubelet = { api, clock, signal };
    const vm = store.seen(uid);
    try {
      return await (vm ? this.#live(vm, kubelet) : this.#bury(uid, kubelet));
    } catch (error) {
      if (isUnanswered(error)) return { after: jitter(random, ASK_AGAIN_MS) };
      throw error;
    }
  }

  async #live(vm: Vm, kubelet: Kubelet): Promise<Result> {
    const { nodes, pods, clock, log, joins } = this.#parts;
    const { uid, nodeName } = vm;
    const leaving = pods.by('node', nodeName).filter((pod) => this.#isLeaving(pod));
    const view = {
      vm,
      joins,
      leaving,
      node: nodes.get(nodeName),
      lastBeat: this.#beats.get(uid)?.at,
      now: clock.now(),
    };
    const { outcome, after } = judge(view);
    if (outcome.kind === 'act') return this.#apply(outcome.action, vm, kubelet);
    if (outcome.kind === 'fail') log.warn('Virtual VM cannot join', { machine: vm.machine, why: outcome.message });
    return Number.isFinite(after) ? { after } : {};
  }

  async #apply(action: LifeAction, vm: Vm, kubelet: Kubelet): Promise<Result> {
    const { store, clock } = this.#parts;
    switch (action.do) {
      case 'vanish':
        await store.lose(vm.uid, kubelet.signal);
        return {};
      case 'end':
        await store.delete(vm.uid, kubelet.signal);
        return {};
      case 'record':
        await store.update(vm.uid, { state: action.state }, kubelet.signal);
        return AGAIN;
      case 'register':
        return this.#register(vm, kubelet);
      case 'silence':
        return this.#shown(await report(kubelet, action.node, silentAt(clock.now(), 'VirtualMachineBroken')));
      case 'report':
        return this.#shown(await report(kubelet, action.node, readyAt(clock.now())));
      case 'untaint': {
        const node = await untaint(kubelet, action.node);
        return node ? this.#shown(node) : { retry: true };
      }
      case 'endPods':
        return this.#endPods(action.pods, kubelet);
      case 'beat':
        return this.#beat(vm, action.node, kubelet);
    }
  }

  /** Goes on once the cache shows the Node that was written. */
  #shown(node: Node): Result {
    return { ...AGAIN, expectations: [this.#parts.nodes.whenSeen(node)] };
  }

  /** Goes on once the cache no longer shows them as those that are to end. */
  async #endPods(pods: readonly Pod[], kubelet: Kubelet): Promise<Result> {
    await Promise.all(pods.map((pod) => endPod(kubelet, pod)));
    for (const { metadata } of pods) this.#ended.add(metadata.uid ?? '');
    const { pods: cache } = this.#parts;
    return { ...AGAIN, expectations: pods.map((pod) => cache.whenGone(keyOf(pod), pod.metadata.uid ?? '')) };
  }

  /** A Lease is remembered before it is made, so that it goes with its VM even when the answer is lost. */
  async #beat(vm: Vm, node: Node, kubelet: Kubelet): Promise<Result> {
    const { nodeName } = vm;
    this.#beats.set(vm.uid, { nodeName, at: this.#beats.get(vm.uid)?.at ?? 0 });
    const at = kubelet.clock.now();
    const written = await beat(kubelet, vm, node);
    this.#beats.set(vm.uid, { nodeName, at });
    return written ? this.#shown(written) : AGAIN;
  }

  /** A VM may be deleted while it registers; its deletion does not wait for a Node that no watch has shown yet. */
  async #register(vm: Vm, kubelet: Kubelet): Promise<Result> {
    const node = await register(kubelet, vm);
    if (this.#parts.store.seen(vm.uid)) return this.#shown(node);
    await unregister(kubelet, node);
    return {};
  }

  /** What is left to do for a VM that is gone: no heart-beat, and a Node that is not Ready unless the VM was deleted. */
  async #bury(uid: string, kubelet: Kubelet): Promise<Result> {
    const lease = this.#beats.get(uid);
    if (lease) await endLease(kubelet, lease.nodeName);
    this.#beats.delete(uid);
    const node = this.#parts.nodes.get(this.#ghosts.get(uid) ?? '');
    if (isNodeOf({ uid }, node) && !isSilence(readyOf(node))) {
      await report(kubelet, node, silentAt(kubelet.clock.now(), 'VirtualMachineGone'));
    }
    this.#ghosts.delete(uid);
    return {};
  }
}
