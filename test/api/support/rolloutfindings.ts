import { mayHoldVm } from '../../../controller/model/machine.ts';
import type { ConfigMap } from '../../../controller/runtime/k8s/core.ts';
import { compareVersions } from '../../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Entry } from './history.ts';

/** What may be at any moment. */
export interface Bounds {
  /** Most VMs, and machines that may hold one, over all sets. */
  most: number;
  /** Least machines that are available, from that version on. */
  least: number;
  since: string;
}

/** What was at the worst moments, and what must never have been, in words. */
export interface Judged {
  findings: string[];
  mostVms: number;
  mostHolding: number;
  leastAvailable: number;
  /** How many VMs were made in all. */
  vmsMade: number;
}

/** Goes through a history, oldest first, and judges each moment of it. */
export function judge(entries: readonly Entry[], bounds: Bounds): Judged {
  const moments = new Moments(bounds);
  for (const entry of entries) moments.after(entry);
  return moments.judged();
}

class Moments {
  readonly #bounds: Bounds;
  readonly #machines = new Map<string, Machine>();
  readonly #vms = new Map<string, ConfigMap>();
  /** Names of all VMs that ever were: the UIDs of their Machines. */
  readonly #made = new Set<string>();
  readonly #findings: string[] = [];
  readonly #worst = { mostVms: 0, mostHolding: 0, leastAvailable: Number.POSITIVE_INFINITY };

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  after(entry: Entry): void {
    if (entry.of === 'vm') this.#vm(entry.object, entry.is);
    else this.#machine(entry.object, entry.is);
    this.#count(entry.object.metadata.resourceVersion ?? '0');
  }

  judged(): Judged {
    return { findings: this.#findings, ...this.#worst, vmsMade: this.#made.size };
  }

  #vm(vm: ConfigMap, is: boolean): void {
    const { name } = vm.metadata;
    if (!is) return void this.#vms.delete(name);
    if (!this.#vms.has(name)) this.#isMade(vm);
    this.#vms.set(name, vm);
  }

  #isMade(vm: ConfigMap): void {
    const { name } = vm.metadata;
    const machine = vm.data?.['machine'] ?? '';
    if (this.#made.has(name)) this.#findings.push(`the VM of ${machine} was made a second time`);
    if (!this.#machines.has(name)) this.#findings.push(`a VM was made for ${machine}, which is not there`);
    for (const other of this.#vms.values())
      if (other.data?.['machine'] === machine) this.#findings.push(`${machine} has two VMs`);
    this.#made.add(name);
  }

  #machine(machine: Machine, is: boolean): void {
    const { uid = '', name } = machine.metadata;
    if (is) return void this.#machines.set(uid, machine);
    this.#machines.delete(uid);
    if (this.#vms.has(uid)) this.#findings.push(`${name} is gone, and left its VM behind`);
  }

  #count(version: string): void {
    const { most, least, since } = this.#bounds;
    const machines = [...this.#machines.values()];
    const holding = machines.filter(mayHoldVm).length;
    this.#worst.mostVms = Math.max(this.#worst.mostVms, this.#vms.size);
    this.#worst.mostHolding = Math.max(this.#worst.mostHolding, holding);
    if (this.#vms.size > most) this.#findings.push(`${this.#vms.size} VMs at version ${version}`);
    if (holding > most) this.#findings.push(`${holding} machines that may hold a VM at version ${version}`);
    if (compareVersions(version, since) < 0) return;
    const available = machines.filter(isAvailable).length;
    this.#worst.leastAvailable = Math.min(this.#worst.leastAvailable, available);
    if (available < least) this.#findings.push(`${available} machines are available at version ${version}`);
  }
}

const isAvailable = ({ metadata, status }: Machine): boolean =>
  !metadata.deletionTimestamp && status?.currentStatus?.phase === 'Running';
