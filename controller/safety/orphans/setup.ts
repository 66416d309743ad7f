import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { DriverMethod, ListedVm } from '../../drivers/sdk/driver.ts';
import type { DriverError } from '../../drivers/sdk/errors.ts';
import { defaults } from '../../flow/priority.ts';
import { classKeyOf } from '../../model/class.ts';
import { vmExpectedUntil } from '../../model/expectedvm.ts';
import { shareOf } from '../../runtime/fairness/bounds.ts';
import { Slots } from '../../runtime/fairness/slots.ts';
import { type KubeObject, refOf } from '../../runtime/k8s/object.ts';
import { type Result, runLoop } from '../../runtime/queue/loop.ts';
import { Queue } from '../../runtime/queue/queue.ts';
import { jitter } from '../../runtime/random.ts';
import type { Change } from '../../runtime/watch/cache.ts';
import type { LoopParts } from '../../state/deps.ts';
import { flowOfKey } from '../../state/fairshares.ts';
import { Retained } from './flow/retained.ts';
import { sweepKey, sweepNodes } from './nodesweep.ts';
import type { OrphanSources } from './observe.ts';
import { Sweeper, type SweeperParts } from './vmsweep.ts';

/** Two sightings of an orphan are this far apart at the least, milliseconds, however often sweeps are enqueued. */
const APART_MS = 60_000;

/** The first sweeps of all classes are spread over this time, milliseconds, or over that between two sweeps if that is shorter. */
const START_MS = 30_000;

/** The key of all clusters; each has its own, and that of the default target is empty. */
const ALL = '*';

/** The sweeps of one driver's classes. */
interface Sweeps {
  sweeper: Sweeper;
  queue: Queue;
}

/** A call for a Machine that ended, as far as sweeps care. */
interface EndedCall {
  call: { uid: string; key: string; method: DriverMethod };
  error?: DriverError | undefined;
  /** The driver cannot tell how VMs stand. */
  assumed?: boolean;
}

/** Looks for VMs without a Machine at the start, now and then, and when something hints at one (hack/spec/mcm.md 8.3). */
export class Orphans {
  readonly #parts: LoopParts;
  readonly #options: Omit<SweeperParts, 'driver'>;
  readonly #all: ReadonlyMap<string, Sweeps>;
  readonly #retained: Retained;
  /** Keys of classes whose driver cannot tell how a VM stands. */
  readonly #mute = new Set<string>();

  constructor(parts: LoopParts, beside: Pick<OrphanSources, 'isCreating' | 'gates'>) {
    this.#parts = parts;
    this.#retained = new Retained({ clock: parts.clock, graceMs: parts.settings.orphanGracePeriod });
    const wasRetained = (namespace: string, providerID: string) => this.#retained.has(namespace, providerID);
    const retentionListed = (namespace: string, vm: ListedVm) => this.#retained.listed(namespace, vm);
    const isMute = (key: string) => this.#mute.has(key);
    this.#options = { ...sweeperOptions(parts), ...beside, wasRetained, retentionListed, isMute };
    const entries = [...parts.drivers.values()].map((driver): [string, Sweeps] => [
      driver.name,
      {
        sweeper: new Sweeper({ ...this.#options, driver }),
        queue: new Queue({ clock: parts.clock, flowOf: flowOfKey }),
      },
    ]);
    this.#all = new Map(entries);
  }

  /** A driver says that several VMs have the name of one Machine, so that one is an orphan (hack/spec/mcm.md 9.3), or that it cannot tell of VMs. */
  callEnded({ call, error, assumed }: EndedCall): void {
    const machine = this.#parts.caches.machines.get(call.key);
    if (machine && assumed && !this.#mute.has(classKeyOf(machine))) {
      this.#mute.add(classKeyOf(machine));
      this.#hint(classKeyOf(machine));
    }
    if (machine && machine.metadata.uid === call.uid && call.method === 'retainMachine' && !error)
      this.#retained.marked(machine);
    if (machine && error?.code === 'OutOfRange' && call.method === 'getMachineStatus') this.#hint(classKeyOf(machine));
  }

  /** Sweeps until the signal aborts. */
  async run(): Promise<void> {
    const { caches, clock, random, settings } = this.#parts;
    const spreadMs = Math.min(START_MS, settings.machineSafetyOrphanVmsPeriod);
    const begin = (key: string) => this.#enqueue(key, random.next() * spreadMs);
    caches.classes.onChange(({ key, before, after }) => {
      if (before?.provider !== after?.provider || isExpectedAnew(before, after)) begin(key);
    });
    caches.machines.onChange((change) => this.#machineChanged(change));
    for (const { metadata } of caches.classes.list()) begin(`${metadata.namespace}/${metadata.name}`);
    const loops = [...this.#all].map(([name, { sweeper, queue }]) =>
      runLoop({
        ...this.#parts,
        name: `orphans-${name}`,
        workers: LISTS,
        queue,
        priorityOf: () => defaults.generic,
        reconcile: sweepInLanes({ clock, isShared: settings.namespace === '', enqueue: enqueueIn(queue) }, sweeper),
      }),
    );
    await Promise.all([...loops, this.#runNodes(spreadMs)]);
  }

  /** Nodes without a Machine are looked for as often as VMs are (hack/spec/mcm.md 8.3), in each cluster for itself: one may be slow. */
  async #runNodes(spreadMs: number): Promise<void> {
    const { clock, random, settings, targets } = this.#parts;
    const queue = new Queue({ clock, flowOf: flowOfKey });
    const enqueue = enqueueIn(queue);
    queue.add(ALL, { after: random.next() * spreadMs });
    const { namespace, machineCreationTimeout: creationMs, machineSafetyOrphanVmsPeriod: periodMs } = settings;
    const parts = { ...this.#options, namespace, creationMs };
    const sweep = (key: string) => sweepNodes(parts, key).then(() => ({}));
    const sweepOne = sweepInLanes({ clock, isShared: namespace === '', enqueue }, { serves: () => true, sweep });
    const sweepAll = async () => {
      for (const target of targets.all()) enqueue(sweepKey(target));
      return { after: jitter(random, periodMs) };
    };
    await runLoop({
      ...this.#parts,
      name: 'orphan-nodes',
      workers: LISTS,
      queue,
      priorityOf: () => defaults.generic,
      reconcile: (key) => (key === ALL ? sweepAll() : sweepOne(key)),
    });
  }

  #machineChanged({ before, after }: Change<Machine>): void {
    if (!before || after) return;
    this.#retained.gone(before);
    this.#hint(classKeyOf(before));
  }

  /** A sweep that is too soon to be a second sighting waits until it can be one. */
  #hint(key: string): void {
    for (const { sweeper, queue } of this.#all.values())
      if (sweeper.serves(key)) queue.add(key, { priority: defaults.generic, after: sweeper.restOf(key) });
  }

  /** The driver that served the class before is enqueued, too, so that it forgets the class. */
  #enqueue(key: string, after: number): void {
    for (const { queue } of this.#all.values()) queue.add(key, { priority: defaults.generic, after });
  }
}

/** Another process may have released a machine whose VM may still turn up. */
const isExpectedAnew = (before: MachineClass | undefined, after: MachineClass | undefined): boolean =>
  after !== undefined && vmExpectedUntil(after) !== (before && vmExpectedUntil(before));

const enqueueIn = (queue: Queue) => (key: string) => queue.add(key, { priority: defaults.generic });

function sweeperOptions({ settings, targets, caches, api, ...parts }: LoopParts) {
  const { orphanPolicy: policy, orphanGracePeriod: graceMs, orphanDeletionsPerSweep: most } = settings;
  const periodMs = settings.machineSafetyOrphanVmsPeriod;
  return {
    ...parts,
    ...caches,
    api,
    classWrites: { api, resource: resources.machineClasses, cache: caches.classes },
    namespace: settings.namespace,
    periodMs,
    limits: { policy, graceMs, most, apartMs: Math.min(APART_MS, periodMs) },
    targets: () => [...targets.all()],
    targetOf: (object: KubeObject) => targets.of(object),
  };
}

/** So many lists of VMs one driver is asked for at once: one that hangs does so for five minutes. */
export const LISTS = 8;

/** What sweeps in lanes need. */
export interface LanesOptions extends Pick<LoopParts, 'clock'> {
  /** The classes of many namespaces are swept. */
  isShared: boolean;
  /** Tells that a class may be swept now. */
  enqueue: (key: string) => void;
}

/** The sweeps of one driver's classes, or of clusters. */
export interface ClassSweeps {
  /** Whether the class is this driver's: only then is anything listed. */
  serves(key: string): boolean;
  sweep(key: string): Promise<Result>;
}

/**
 * Sweeps of one driver's classes, or of clusters, of which those of one namespace are at most half of what other namespaces do not use
 * (hack/decisions/0045): a tenant whose lists hang holds up no other tenant. A class that has to wait is enqueued in its turn.
 */
export function sweepInLanes({ clock, isShared, enqueue }: LanesOptions, sweeps: ClassSweeps): ClassSweeps['sweep'] {
  const most = (others: number) => shareOf(LISTS, others, isShared);
  const askerOf = (key: string) => ({ priority: 0, flow: flowOfKey(key) });
  const lanes = new Slots({ clock, bounds: [{ most }], enqueue, sharing: { askerOf, levelOf: (level) => level } });
  return async (key) => {
    if (!sweeps.serves(key)) {
      lanes.leave(key);
      return sweeps.sweep(key);
    }
    const leave = lanes.enter({ key, groups: [refOf(key).namespace ?? ''] });
    if (!leave) return {};
    return sweeps.sweep(key).finally(leave);
  };
}
