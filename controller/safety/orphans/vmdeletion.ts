import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { isSubdomain } from '../../../schemas/selector.ts';
import { type Driver, deadlines, type ListedVm } from '../../drivers/sdk/driver.ts';
import { classOf, toDriverError } from '../../drivers/sdk/errors.ts';
import { eventOf } from '../../flow/flow.ts';
import type { Api } from '../../runtime/client/api.ts';
import { type Clock, inTime } from '../../runtime/clock.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import { DeletionMemory } from './deletionmemory.ts';
import { type Beside, claimsOf, orphanEvents } from './flow/plan.ts';
import {
  deleteNodes,
  deleteNoted,
  type NotedNode,
  noteDeletion,
  notedNodes,
  type OrphanNodesParts,
} from './nodesweep.ts';
import type { OrphanSources } from './observe.ts';
import { isGone, untilGone } from './vmgone.ts';

/** What deletions of orphans need. */
export interface DeletionsParts extends Beside, OrphanNodesParts, Pick<OrphanSources, 'limits'> {
  /** The control cluster. */
  api: Api;
  clock: Clock;
  incarnation: string;
  /** Ends the calls in flight. */
  signal: AbortSignal;
}

/** A VM to delete, and what its driver is asked with. */
export interface Order {
  vm: ListedVm;
  machineClass: MachineClass;
  driver: Driver;
  secret: Readonly<Record<string, string>>;
}

/** Deletes VMs that have no Machine, each with a last look at the API server; what goes on is not begun again. */
export class Deletions {
  readonly #parts: DeletionsParts;
  /** By driver and providerID. */
  readonly #leaving = new Set<string>();
  /** By class; they die with the process, and Nodes tell the next one. */
  readonly #memories = new Map<string, DeletionMemory>();
  readonly #turns = new Turns();

  constructor(parts: DeletionsParts) {
    this.#parts = parts;
  }

  /** The VM is being deleted, by whichever class it was found. */
  isLeaving(driver: Driver, vm: ListedVm): boolean {
    return this.#leaving.has(nameOf(driver, vm));
  }

  /** What a list of the class shows, in the order in which it goes (deletionmemory.ts). */
  inOrder(machineClass: MachineClass, vms: readonly ListedVm[]): ListedVm[] {
    return this.#of(machineClass).inOrder(vms);
  }

  #of(machineClass: MachineClass): DeletionMemory {
    const known = this.#memories.get(keyOf(machineClass)) ?? new DeletionMemory();
    this.#memories.set(keyOf(machineClass), known);
    return known;
  }

  /** Resolves when the VM is gone, was spared, or could not be deleted; all three are told. Never rejects. */
  async delete(order: Order): Promise<void> {
    const { vm, driver, machineClass } = order;
    const name = nameOf(driver, vm);
    if (this.#leaving.has(name)) return;
    this.#leaving.add(name);
    const memory = this.#of(machineClass);
    try {
      if (await this.#isSpared(order)) return memory.setBack(vm);
      await noteDeletion(this.#parts, order);
      await this.#call(order);
      memory.answer(vm, false);
      await untilGone(this.#watching(order), this.#request(order));
      await this.#gone(order, memory);
    } catch (error) {
      memory.setBack(vm);
      if (!this.#parts.signal.aborted) this.#failed(order, error);
    } finally {
      this.#leaving.delete(name);
    }
  }

  /**
   * VMs that were to be deleted and that a list of their class no longer shows: if they have gone, their Nodes go, too. Of what another
   * process began, Nodes tell. As many of each as one sweep may delete, one after the other, up to the first error that passes; the
   * others have their turn in the next sweeps. Never rejects.
   */
  async finish(found: Omit<Order, 'vm'>, listed: readonly ListedVm[]): Promise<void> {
    const key = keyOf(found.machineClass);
    const shown = new Set(listed.map(({ providerID }) => providerID));
    const isOver = (vm: ListedVm) => !shown.has(vm.providerID) && !this.isLeaving(found.driver, vm);
    const memory = this.#of(found.machineClass);
    const answered = memory.answered().filter(({ vm }) => isOver(vm));
    const due = this.#turns.of(`answered ${key}`, answered, {
      most: this.#parts.limits.most,
      nameOf: ({ vm }) => vm.providerID,
    });
    for (const { vm } of due) if (!(await this.#finishAnswered({ vm, ...found }, memory))) break;
    await this.#finishNoted(found, (vm) => isOver(vm) && !memory.has(vm));
  }

  async #finishAnswered(order: Order, memory: DeletionMemory): Promise<boolean> {
    const name = nameOf(order.driver, order.vm);
    if (this.#leaving.has(name)) return true;
    this.#leaving.add(name);
    const goesOn = await this.#finishOne(order, () => this.#gone(order, memory));
    this.#leaving.delete(name);
    return goesOn;
  }

  /** Nodes of which this process knows nothing but what they say. */
  async #finishNoted(found: Omit<Order, 'vm'>, isDue: (vm: ListedVm) => boolean): Promise<void> {
    const { machineClass } = found;
    const noted = notedNodes(this.#parts, machineClass).filter(({ vm }) => isDue(vm));
    const due = this.#turns.of(`noted ${keyOf(machineClass)}`, noted, {
      most: this.#parts.limits.most,
      nameOf: nameOfNoted,
    });
    for (const one of due)
      if (!(await this.#finishOne({ vm: one.vm, ...found }, () => deleteNoted(this.#parts, one)))) return;
  }

  /** The class is gone, or another driver's: nobody lists its VMs any more. */
  forget(key: string): void {
    this.#memories.delete(key);
    this.#turns.forget(`answered ${key}`);
    this.#turns.forget(`noted ${key}`);
  }

  /** Answers whether others may be asked for as well: not after an error that passes, for the next one would wait as long. */
  async #finishOne(order: Order, gone: () => Promise<void>): Promise<boolean> {
    try {
      const isDue = !(await this.#isSpared(order)) && (await isGone(this.#watching(order), this.#request(order)));
      if (isDue) await gone();
      return true;
    } catch (error) {
      const { code } = toDriverError(error);
      const fields = { ...fieldsOf(order), code, error };
      if (!this.#parts.signal.aborted) this.#parts.log.info('the Node of an orphan stays until the next sweep', fields);
      return classOf(code, 'getMachineStatus') !== 'transient';
    }
  }

  /** The VM has gone; its deletion is over when its Node has as well. */
  async #gone(order: Order, memory: DeletionMemory): Promise<void> {
    if (!memory.isTold(order.vm)) this.#deleted(order);
    memory.answer(order.vm, true);
    await deleteNodes(this.#parts, order);
    memory.over(order.vm);
  }

  #watching({ driver }: Order) {
    const { clock, signal } = this.#parts;
    return { driver, clock, signal };
  }

  /** As much of a Machine as the VM's mark tells: a driver deletes no VM that has another one by now. */
  #request({ vm: { machineName, providerID, owner }, machineClass, secret }: Order) {
    const { name = machineName, namespace = machineClass.metadata.namespace, uid } = owner ?? {};
    const machine = { metadata: { name, namespace, uid }, spec: { providerID } };
    const { incarnation } = this.#parts;
    // The token of no Machine: nothing but the identity says which VM is meant.
    return { class: machineClass, secret, incarnation, machine, token: `orphan ${providerID}` };
  }

  /** The cache may be behind, also by a Machine that was made since the list (hack/spec/mcm.md 13.3): the API server is asked. */
  async #isSpared({ vm, machineClass }: Order): Promise<boolean> {
    const { log, metrics } = this.#parts;
    const claims = claimsOf(await this.#namesakes(vm), machineClass, this.#parts);
    if (!claims.named(vm) && !claims.pending(vm) && !claims.retained(vm)) return false;
    log.info('an orphan is spared: it has a Machine by now', fieldsOf({ vm, machineClass }));
    metrics.count('drover_orphaned_vm_deletions_total', { class: keyOf(machineClass), outcome: 'spared' });
    return true;
  }

  /** Machines that have the name which the VM has for its own, as the API server has them: none has a name that no Machine can have. */
  async #namesakes({ machineName, owner }: ListedVm): Promise<Machine[]> {
    if (!isSubdomain(machineName)) return [];
    const { api, signal } = this.#parts;
    const namespace = owner?.namespace;
    const fieldSelector = `metadata.name=${machineName}`;
    return (await api.list(resources.machines, { ...(namespace && { namespace }), fieldSelector, signal })).items;
  }

  async #call(order: Order): Promise<void> {
    const { clock, signal: parent } = this.#parts;
    const timed = { clock, ms: deadlines.deleteMachine, parent, late: 'deleteMachine took too long' };
    await inTime(timed, (signal) => order.driver.deleteMachine({ ...this.#request(order), signal }));
  }

  #deleted({ vm, machineClass }: Order): void {
    const { log, metrics, events } = this.#parts;
    metrics.count('drover_orphaned_vm_deletions_total', { class: keyOf(machineClass), outcome: 'deleted' });
    log.info('orphan deleted', fieldsOf({ vm, machineClass }));
    events.record(machineClass, eventOf(orphanEvents, 'OrphanedVMDeleted', `${titleOf(vm)} is deleted`));
  }

  #failed({ vm, machineClass }: Order, error: unknown): void {
    const { log, metrics, events } = this.#parts;
    metrics.count('drover_orphaned_vm_deletions_total', { class: keyOf(machineClass), outcome: 'failed' });
    const { code, message } = toDriverError(error);
    log.warn('an orphan was not deleted', { ...fieldsOf({ vm, machineClass }), code, error });
    const note = `${titleOf(vm)} was not deleted: ${code}: ${message}`;
    events.record(machineClass, eventOf(orphanEvents, 'OrphanedVMDeletionFailed', note));
  }
}

/** A VM in sentences for people. */
export const titleOf = ({ providerID, machineName }: ListedVm): string =>
  `VM ${providerID}${machineName && ` (${machineName})`}, which has no Machine,`;

/** A VM in the log. */
export const fieldsOf = ({ vm, machineClass }: Pick<Order, 'vm' | 'machineClass'>) => ({
  class: keyOf(machineClass),
  providerID: vm.providerID,
  machineName: vm.machineName,
});

const nameOf = (driver: Driver, { providerID }: ListedVm): string => `${driver.name} ${providerID}`;

const nameOfNoted = ({ place: { target }, node }: NotedNode): string =>
  `${target.cluster ? keyOf({ metadata: target.cluster }) : ''} ${node.metadata.name}`;

/**
 * Takes turns among more than a sweep may look at: each sweep begins behind the last one that was looked at. Of each list one name is
 * remembered.
 */
export class Turns {
  readonly #last = new Map<string, string>();

  /** As many as may be looked at now; who is not reached has his turn the next time. From the beginning if the last one is there no more. */
  *of<T>(
    list: string,
    all: readonly T[],
    { most, nameOf }: { most: number; nameOf: (one: T) => string },
  ): Generator<T> {
    const last = this.#last.get(list);
    const from = last === undefined ? 0 : all.findIndex((one) => nameOf(one) === last) + 1;
    for (const one of [...all.slice(from), ...all.slice(0, from)].slice(0, most)) {
      this.#last.set(list, nameOf(one));
      yield one;
    }
  }

  /** Drops what is remembered of a list. */
  forget(list: string): void {
    this.#last.delete(list);
  }
}
