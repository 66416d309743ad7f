import { unlessGone } from '../../../controller/framework/writer.ts';
import { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import {
  type ConfigMap,
  configMaps,
  type Event,
  events,
  type Node,
  nodes,
} from '../../../controller/runtime/k8s/core.ts';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { applyManifests } from '../../../hack/controlplane/manifests.ts';
import { type Patience, until } from '../../../hack/lib/until.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { ControllerProcess } from './controllerprocess.ts';
import type { Cluster } from './controlplane.ts';

const PATIENCE: Patience = { timeoutMs: 15_000, everyMs: 25, upToMs: 150 };
/** For what may take as long as an outage, or a busy machine. */
const LONG: Patience = { timeoutMs: 90_000, everyMs: 25, upToMs: 250 };
const CLOUD = 'drover-virtual-cloud';

/** Objects to make; their namespace is the herd's. */
type Manifest = Record<string, unknown> & { kind: string; metadata: { name: string; labels?: Record<string, string> } };

/** A namespace of Machines with the VMs and Nodes that are theirs, seen by its administrator. */
export class Herd {
  #place: { cluster: Cluster; namespace: string; api: Api } | undefined;

  /** Gives the herd its place; before that there is nothing to look at. */
  settle(cluster: Cluster, namespace: string): this {
    this.#place = { cluster, namespace, api: new Api({ connection: cluster.admin, clock }) };
    return this;
  }

  /** Ends the controller as a pod ends, and starts another one. */
  restart: () => Promise<void> = () => Promise.reject(new Error('the herd has no controller'));

  /** The controller that looks after the herd now. */
  controller: () => ControllerProcess = () => {
    throw new Error('the herd has no controller');
  };

  get cluster(): Cluster {
    return this.#settled.cluster;
  }

  get namespace(): string {
    return this.#settled.namespace;
  }

  get api(): Api {
    return this.#settled.api;
  }

  get #settled() {
    if (!this.#place) throw new Error('the herd has no cluster before the first test begins');
    return this.#place;
  }

  /** `kubectl` in the herd's namespace; throws what it says when it fails. */
  async kubectl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.cluster.kubectl(['-n', this.namespace, ...args]);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Makes a class of the virtual driver (or another provider). */
  async makeClass(name: string, providerSpec: object = {}, provider = 'virtual'): Promise<void> {
    await this.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name },
      provider,
      providerSpec,
    });
  }

  /** Makes a deployment named `pool` whose machines carry the label `pool: <name of the deployment>`. */
  async makeDeployment(
    spec: { replicas: number; class?: string; name?: string } & Record<string, unknown>,
  ): Promise<void> {
    const { replicas, class: machineClass = 'small', name = 'pool', ...rest } = spec;
    const labels = { pool: name };
    const template = { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: machineClass } } };
    const apiVersion = 'machine.sapcloud.io/v1alpha1';
    const deployment = { selector: { matchLabels: labels }, replicas, template, ...rest };
    await this.apply({ apiVersion, kind: 'MachineDeployment', metadata: { name }, spec: deployment });
  }

  /** A Machine that no set controls. */
  alone(name: string, machineClass: string, labels: Record<string, string> = {}): Manifest {
    const spec = { class: { kind: 'MachineClass', name: machineClass } };
    return { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine', metadata: { name, labels }, spec };
  }

  /** Server-side apply of one object. */
  apply(manifest: Manifest): Promise<void> {
    return applyManifests(this.cluster.admin, [manifest], this.namespace);
  }

  machines(): Promise<Machine[]> {
    return this.#list(resources.machines);
  }

  sets() {
    return this.#list(resources.machineSets);
  }

  deployments() {
    return this.#list(resources.machineDeployments);
  }

  /** VMs that the virtual cloud has for Machines of this namespace. */
  async vms(): Promise<ConfigMap[]> {
    const { items } = await this.api.list(configMaps, {
      namespace: CLOUD,
      labelSelector: 'drover.dev/virtual-vm=true',
    });
    return items.filter(({ data }) => data?.['machine']?.startsWith(`${this.namespace}/`));
  }

  /** Nodes whose providerID is one of these VMs', or that carry a Machine's name of this herd. */
  async nodesOf(machines: readonly Machine[]): Promise<Node[]> {
    const names = new Set(machines.map(({ metadata }) => metadata.name));
    const { items } = await this.api.list(nodes);
    return items.filter(({ metadata }) => names.has(metadata.name));
  }

  /** Events in the herd's namespace, a line each: `KIND/NAME TYPE REASON NOTE`. */
  async events(): Promise<string> {
    const { items } = await this.api.list(events, { namespace: this.namespace });
    const line = ({ regarding, type, reason, note }: Event) =>
      `${regarding?.kind}/${regarding?.name} ${type} ${reason} ${note}`;
    return items.map(line).join('\n');
  }

  /** Takes away the VMs and Nodes that are left: Nodes have no namespace, and the next file may want their names. */
  async leave(): Promise<void> {
    const vms = await this.vms();
    const ids = new Set(vms.map(({ metadata }) => `virtual:///${metadata.name}`));
    const { items } = await this.api.list(nodes);
    const ours = items.filter(({ spec }) => ids.has(spec?.providerID ?? ''));
    await Promise.all([
      ...ours.map(({ metadata }) => this.api.delete(nodes, metadata)),
      ...vms.map(({ metadata }) => this.api.delete(configMaps, metadata)),
    ]);
  }

  /** Machines by phase, for example `{ Running: 3 }`. */
  async phases(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { status } of await this.machines()) {
      const phase = status?.currentStatus?.phase || 'new';
      counts[phase] = (counts[phase] ?? 0) + 1;
    }
    return counts;
  }

  /** Waits until exactly `count` Machines are left, all Running, each with its own VM and its ready Node. */
  async whenRunning(count: number, patience = PATIENCE): Promise<Machine[]> {
    await this.eventually(
      `${count} Running machines`,
      async () => {
        const phases = await this.phases();
        const vms = await this.vms();
        return Bun.deepEquals(phases, count > 0 ? { Running: count } : {}) && vms.length === count;
      },
      patience,
    );
    return this.machines();
  }

  /** Waits until nothing of the herd is left: no object of ours, no VM, and none of these Nodes. */
  async whenGone(machines: readonly Machine[], patience = PATIENCE): Promise<void> {
    await this.eventually(
      'the herd to be gone',
      async () => {
        const left = await Promise.all([
          this.deployments(),
          this.sets(),
          this.machines(),
          this.vms(),
          this.nodesOf(machines),
        ]);
        return left.every((objects: readonly KubeObject[]) => objects.length === 0);
      },
      patience,
    );
  }

  /** Deletes the herd's Machines and their owners, and waits until there is none. */
  async clear(): Promise<void> {
    const kinds: Resource[] = [resources.machineDeployments, resources.machineSets, resources.machines];
    const left = async () => (await Promise.all(kinds.map((kind) => this.#list(kind)))).flat();
    for (const kind of kinds)
      for (const { metadata } of await this.#list(kind)) await unlessGone(this.api.delete(kind, metadata));
    await this.eventually('machines and their owners to go', async () => (await left()).length === 0, LONG);
  }

  /** Waits until this reason has decided what becomes of a Machine. */
  async whenDecided(name: string, reason: string): Promise<void> {
    const machine = { namespace: this.namespace, name };
    const decides = async () =>
      (await unlessGone(this.api.get(resources.machines, machine)))?.status?.currentStep?.reason;
    await this.eventually(`${reason} to decide on ${name}`, async () => (await decides()) === reason, LONG);
  }

  /** The message of a condition of a Machine. */
  async said(name: string, type: string): Promise<string> {
    const { status } = await this.api.get(resources.machines, { namespace: this.namespace, name });
    return status?.conditions?.find((condition) => condition.type === type)?.message ?? '';
  }

  /** Looks until it is true; the error of a wait in vain shows how the herd stands. */
  async eventually(what: string, look: () => Promise<boolean>, patience = PATIENCE): Promise<void> {
    try {
      await until(what, look, patience);
    } catch (error) {
      const stands = await this.kubectl('get', 'mcd,mcs,mc', '-o', 'wide').catch(String);
      throw new Error(`${what}:\n${stands}`, { cause: error });
    }
  }

  async #list<T extends KubeObject>(resource: Resource<T>): Promise<T[]> {
    return (await this.api.list(resource, { namespace: this.namespace })).items;
  }
}
