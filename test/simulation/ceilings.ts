import { numbersOf } from '../../controller/machinedeployment/flow/view.ts';
import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_MAX, FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Backup, Write } from '../world/store.ts';
import type { Cloud } from './cloud.ts';
import type { Findings } from './finding.ts';
import { isExtra } from './overshoots.ts';
import type { Server } from './server.ts';

const DEPLOYMENTS = 'machine.sapcloud.io/machinedeployments';
const SETS = 'machine.sapcloud.io/machinesets';
const MACHINES = 'machine.sapcloud.io/machines';

/** What it takes to know how many machines there may be. */
interface CeilingParts {
  cloud: Cloud;
  control: Server;
  clock: WorldClock;
  findings: Findings;
  /** How old a size may be that somebody still acts on, milliseconds. */
  staleMs: number;
}

/**
 * How many machines that may hold a VM there may be: in all sets of a deployment as many as its replicas and maxSurge say
 * (hack/decisions/0051 S5), or as the set that makes one was told last, in a set of its own one more than it wants; the most that was
 * allowed a short while ago.
 */
export class Ceilings {
  readonly #parts: CeilingParts;
  readonly #sizes = new Map<string, Array<{ at: number; most: number }>>();

  constructor(parts: CeilingParts) {
    this.#parts = parts;
  }

  /** A restored backup has these sizes: they hold from now on. */
  rewound({ objects }: Backup): void {
    for (const resource of [DEPLOYMENTS, SETS])
      for (const after of objects.get(resource)?.values() ?? []) this.note({ resource, after });
  }

  /** Remembers sizes. */
  note({ resource, after }: Pick<Write, 'resource' | 'after'>): void {
    const uid = after?.metadata.uid ?? '';
    if (after && resource === DEPLOYMENTS) this.#note(uid, mostOfAll(after as MachineDeployment));
    if (!after || resource !== SETS) return;
    this.#note(uid, mostOf(after as MachineSet));
    this.#note(`told ${uid}`, toldTo(after as MachineSet));
  }

  #note(of: string, most: number): void {
    const sizes = this.#sizes.get(of) ?? [];
    if (sizes.at(-1)?.most !== most) this.#sizes.set(of, [...sizes, { at: this.#parts.clock.now(), most }]);
  }

  /** A Machine was made: finds whether there are too many. */
  judge(made: Machine): void {
    const set = this.#setsOf((one) => one.metadata.uid === controllerOf(made)?.uid)[0];
    const deployment = set && controllerOf(set);
    if (!set) return;
    const family = deployment ? this.#setsOf((one) => controllerOf(one)?.uid === deployment.uid) : [set];
    const { uid = '' } = set.metadata;
    const most = deployment ? Math.max(this.#most(deployment.uid), this.#most(`told ${uid}`)) : this.#most(uid);
    const holding = this.#holding(family);
    const of = deployment?.name ?? set.metadata.name;
    if (holding > most)
      this.#parts.findings.add('no more machines than allowed', `${of} has ${holding} machines, ${most} are allowed`);
  }

  /** Somebody may still act on what was allowed until a while ago. */
  #most(uid = ''): number {
    const { clock, staleMs } = this.#parts;
    const sizes = this.#sizes.get(uid) ?? [];
    const untilOf = (index: number) => sizes[index + 1]?.at ?? Infinity;
    const recent = sizes.filter((_, index) => untilOf(index) >= clock.now() - staleMs);
    return recent.length > 0 ? Math.max(...recent.map(({ most }) => most)) : Infinity;
  }

  #setsOf(isWanted: (set: KubeObject) => boolean): KubeObject[] {
    return this.#parts.control.api.store.list(SETS).filter(isWanted);
  }

  #holding(sets: readonly KubeObject[]): number {
    const owners = new Set(sets.map(({ metadata }) => metadata.uid));
    const machines = this.#parts.control.api.store.list(MACHINES) as Machine[];
    return machines.filter(
      (machine) => owners.has(controllerOf(machine)?.uid) && !isExtra(machine) && this.#mayHoldVm(machine),
    ).length;
  }

  /** One that is Failed or leaves may be counted as long as it has a VM, and the finalizer by which it holds that. */
  #mayHoldVm({ metadata, status }: Machine): boolean {
    if (metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(FINALIZER)) return false;
    const goes = metadata.deletionTimestamp !== undefined || status?.currentStatus?.phase === 'Failed';
    return !goes || this.#parts.cloud.of(metadata.uid ?? '').length > 0;
  }
}

/** What the deployment has told the set: it goes by that until it is told otherwise, as after an outage. */
const toldTo = ({ metadata }: MachineSet): number => Number(metadata.annotations?.[ANNOTATION_MAX] ?? 0);

const mostOf = ({ spec }: MachineSet): number => (spec?.replicas ?? 0) + 1;

function mostOfAll(deployment: MachineDeployment): number {
  const { replicas, surge } = numbersOf(deployment);
  return replicas + surge;
}
