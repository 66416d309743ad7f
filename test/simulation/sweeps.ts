import type { ListedVm, MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import type { Machine } from '../../schemas/machine.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Cloud } from './cloud.ts';
import type { Findings } from './finding.ts';
import type { Actor } from './freezes.ts';
import type { Server } from './server.ts';

/** What the guard of orphan sweeps watches. */
export interface SweepParts {
  cloud: Cloud;
  control: Server;
  clock: WorldClock;
  findings: Findings;
}

/** What processes are told: an orphan is so old, and so many go at once. */
export const SWEEPS = { periodMs: 120_000, graceMs: 180_000, most: 2 };

/** Two sightings are so far apart, and a sweep begins its deletions within so long, milliseconds. */
const TIMES = { apart: 60_000, burst: 5_000 };

/** The call is about a VM that a sweep found, and no Machine's. */
export const isOfSweep = ({ token }: Pick<MachineRequest, 'token'>): boolean => token.startsWith('orphan ');

/** Looks at what the sweeps of one process see and delete. */
export class SweepGuard {
  readonly #parts: SweepParts;
  readonly #actor: Actor;
  /** When a VM was first seen, by providerID: lists in which it was missing begin anew. */
  #seen = new Map<string, number>();
  #begun: number[] = [];

  constructor(parts: SweepParts, actor: Actor) {
    this.#parts = parts;
    this.#actor = actor;
  }

  /** A list of all VMs has come. */
  listed(vms: readonly ListedVm[]): void {
    const now = this.#parts.clock.now();
    this.#seen = new Map(vms.map(({ providerID }) => [providerID, this.#seen.get(providerID) ?? now]));
  }

  /** A VM is about to be deleted because it has no Machine. */
  deletes({ machine }: MachineRequest): void {
    const { cloud, clock } = this.#parts;
    const now = clock.now();
    const { providerID = '' } = machine.spec ?? {};
    this.#begun = [...this.#begun.filter((at) => now - at < TIMES.burst), now];
    if (this.#begun.length > SWEEPS.most) this.#find(`${this.#begun.length} VMs go at once`);
    const vm = cloud.vms.get(providerID);
    if (!vm) return;
    const seenMs = now - (this.#seen.get(providerID) ?? now);
    // What was seen for so long is as old at least, whatever the clock of the cloud says (hack/decisions/0051 L107).
    const ageMs = Math.max(seenMs, this.#actor.lifetime.clock.now() - (vm.created ?? Infinity));
    if (ageMs < SWEEPS.graceMs) this.#find(`${providerID} goes, ${ageMs / 1000} s old`);
    if (seenMs < TIMES.apart) this.#find(`${providerID} goes at first sight`);
    const owner = this.#ownerOf(providerID, vm.token);
    if (owner) this.#find(`${providerID} goes, the VM of ${owner.metadata.name}`);
  }

  #ownerOf(id: string, token: string): Machine | undefined {
    const machines = this.#parts.control.api.store.list('machine.sapcloud.io/machines') as Machine[];
    const isOwner = ({ metadata, spec }: Machine) =>
      spec?.providerID ? spec.providerID === id : metadata.uid === token;
    return machines.find((machine) => isOwner(machine) && !isOnlyKept(machine));
  }

  #find(says: string): void {
    this.#parts.findings.add('only orphans are swept', `${this.#actor.who}: ${says}`);
  }
}
