import { type ConfigMap, configMaps, type Node, nodes } from '../../../controller/runtime/k8s/core.ts';
import { type VolumeAttachment, volumeAttachments } from '../../../controller/runtime/k8s/workload.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { hear, momentOf } from './changes.ts';
import type { Herd } from './herd.ts';
import type { Kubelets } from './kubelets.ts';
import type { PodWitness } from './podobserver.ts';

/** A VM that was switched off: whose it was, and when, as a moment of the API server. */
interface Off {
  machine: string;
  node: string;
  at: number;
}

const CLOUD = 'drover-virtual-cloud';
/**
 * What a deletion has on record, and how far from where it first stood a restart may put it off, milliseconds: volumes have back what they lost
 * while nobody led, in all three times their two minutes at the most (hack/decisions/0051 L80).
 */
const CLOCKS = { deadline: 0, detachDeadline: 240_000 } as const;

/** Sees the order in which pods, volumes, VMs, Nodes and Machines go, and notes what came too early or was put off. */
export class DrainWitness {
  readonly broken: string[] = [];
  readonly #over = new AbortController();
  readonly #off = new Map<string, Off>();
  /** When VMs and Nodes were gone: VMs by UID of their Machine, Nodes by name. */
  readonly #gone = new Map<string, number>();
  /** When volumes went off a Node, by its name. */
  readonly #detached = new Map<string, Map<string, number>>();
  readonly #clocks = new Map<string, number>();
  /** Machines that have gone. */
  readonly left: Machine[] = [];
  /** How often each Machine that left was decided so: steps with their reasons. */
  readonly decided = new Map<string, string[]>();

  async follow({ api, namespace }: Herd): Promise<void> {
    const { signal } = this.#over;
    await Promise.all([
      hear<Machine>({ api, resource: resources.machines, namespace, signal }, ({ object, gone }) =>
        this.#machine(object, gone),
      ),
      hear<ConfigMap>({ api, resource: configMaps, namespace: CLOUD, signal }, ({ object, gone }) =>
        this.#vm(object, gone),
      ),
      hear<Node>({ api, resource: nodes, signal }, ({ object, gone }) => {
        if (gone) this.#gone.set(object.metadata.name, momentOf(object));
      }),
      hear<VolumeAttachment>({ api, resource: volumeAttachments, signal }, ({ object, gone }) => {
        const node = object.spec?.nodeName ?? '';
        const there = this.#detached.get(node) ?? new Map();
        this.#detached.set(node, there.set(object.metadata.name, gone ? momentOf(object) : Infinity));
      }),
    ]);
  }

  end(): void {
    this.#over.abort();
  }

  /** What went before its time: pods and volumes come first, then the VM, then the Node, the Machine last. */
  judge({ stays }: PodWitness, { detached }: Kubelets): string[] {
    const before = (what: string, things: ReadonlyMap<string, number> = new Map(), { machine, at }: Off): string[] =>
      [...things].filter(([, end]) => end > at).map(([name]) => `the VM of ${machine} went before ${what} ${name}`);
    const offs = [...this.#off.values()];
    const early = offs.flatMap((off) => [
      ...before('pod', stays.get(off.node), off),
      ...before('volume', this.#detached.get(off.node), off),
    ]);
    const torn = [...this.#detached.values()].flatMap((volumes) =>
      [...volumes]
        .filter(([name, end]) => end < Infinity && !detached.has(name))
        .map(([name]) => `${name} was torn away`),
    );
    return [...this.broken, ...early, ...torn, ...this.left.flatMap((machine) => this.#last(machine))];
  }

  /** The finalizer goes last. */
  #last(machine: Machine): string[] {
    const { name, uid = '' } = machine.metadata;
    const at = momentOf(machine);
    return [uid, name]
      .filter((part) => !((this.#gone.get(part) ?? Infinity) < at))
      .map((part) => `Machine ${name} went before its ${part === uid ? 'VM' : 'Node'}`);
  }

  #vm({ metadata, data, ...rest }: ConfigMap, gone: boolean): void {
    const at = momentOf({ metadata, ...rest });
    if (gone) this.#gone.set(metadata.name, at);
    if (this.#off.has(metadata.name) || !(gone || data?.['deleting'])) return;
    this.#off.set(metadata.name, { machine: data?.['machine'] ?? '', node: data?.['nodeName'] ?? '', at });
  }

  #machine(machine: Machine, gone: boolean): void {
    const { name, uid } = machine.metadata;
    if (gone) this.left.push(machine);
    const { deletion, currentStep } = machine.status ?? {};
    const told = this.decided.get(name) ?? [];
    this.decided.set(name, told);
    const now = `${currentStep?.name} ${currentStep?.reason}`;
    if (currentStep && told.at(-1) !== now) told.push(now);
    const record = { deadline: deletion?.drain?.deadline, detachDeadline: deletion?.detachDeadline };
    for (const clock of ['deadline', 'detachDeadline'] as const) {
      const end = Date.parse(record[clock] ?? '');
      if (Number.isNaN(end)) continue;
      const first = this.#clocks.get(`${uid} ${clock}`) ?? end;
      if (end > first + CLOCKS[clock]) this.broken.push(`the ${clock} of ${name} was put off by ${end - first} ms`);
      this.#clocks.set(`${uid} ${clock}`, Math.min(first, end));
    }
  }
}
