import type { Clock } from '../../runtime/clock.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { Pod } from '../../runtime/k8s/workload.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Metrics } from '../../runtime/observability/metrics.ts';
import type { Random } from '../../runtime/random.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import type { DriverTarget, DriverTargets } from '../sdk/targets.ts';
import type { NodeApi } from './kubelet.ts';
import { Simulator, type SimulatorParts } from './simulator.ts';
import type { VmStore } from './store.ts';

/** What sites are made with. */
export interface SitesParts {
  /** VMs of all targets. */
  store: VmStore;
  targets: DriverTargets;
  /** Of the cluster that keeps the VMs: it stands in for the default target where there is none. */
  api: NodeApi;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
}

/** A simulator and where its VMs have their Nodes. */
interface Site {
  simulator: Simulator;
  nodes: Cache<Node>;
}

/** A simulator for each target cluster, with workers of its own: one that does not answer holds up no other's VMs. */
export class Sites {
  readonly #parts: SitesParts;
  /** By cluster. */
  readonly #sites = new Map<string, Site>();

  constructor(parts: SitesParts) {
    this.#parts = parts;
    parts.store.onChange((vm, presence) => this.#sites.get(vm.cluster)?.simulator.onVm(vm, presence));
  }

  /** Resolves when the VMs of the default target are being looked after; those of others are as soon as theirs is there. */
  async start(signal: AbortSignal): Promise<void> {
    const { store, targets, log, api } = this.#parts;
    await store.start(signal);
    const begun: Array<Promise<void>> = [];
    if (!targets.home) begun.push(this.#open({ ...nowhere(), api, joins: false }, signal));
    targets.follow((target) => {
      const { cluster } = target;
      const opened = this.#open({ ...target, joins: true }, target.signal);
      target.signal.addEventListener('abort', () => this.#sites.delete(cluster), { once: true });
      if (cluster === '') begun.push(opened);
      else opened.catch((error) => target.signal.aborted || log.error('virtual VMs are let alone', { cluster, error }));
    }, signal);
    await Promise.all(begun);
  }

  /** The Node of that name in the target of that cluster, if it is known. */
  nodeOf(cluster: string, name: string): Node | undefined {
    return this.#sites.get(cluster)?.nodes.get(name);
  }

  async #open(place: Pick<SimulatorParts, 'cluster' | 'api' | 'nodes' | 'pods' | 'joins'>, signal: AbortSignal) {
    const simulator = new Simulator({ ...this.#parts, ...place });
    this.#sites.set(place.cluster, { simulator, nodes: place.nodes });
    for (const vm of this.#parts.store.all()) if (vm.cluster === place.cluster) simulator.onVm(vm, 'there');
    await simulator.start(signal);
  }
}

/** The Nodes of VMs that join nothing. */
const nowhere = (): Pick<DriverTarget, 'cluster' | 'nodes' | 'pods'> => ({
  cluster: '',
  nodes: new Cache<Node>(),
  pods: new Cache<Pod>({ indexes: { node: () => [] } }),
});
