import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { isSubdomain } from '../../../schemas/selector.ts';
import { type Driver, deadlines, type ListedVm } from '../../drivers/sdk/driver.ts';
import { classOf, toDriverError } from '../../drivers/sdk/errors.ts';
import { eventOf } from '../../flow/reasons.ts';
import type { Api } from '../../runtime/client/api.ts';
import { type Clock, Deadline, unlessAborted } from '../../runtime/clock.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
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
import { Turns } from './turns.ts';
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

/** A deletion that its driver has answered; `isTold`: people know that the VM has gone. */
interface Answered {
  order: Order;
  isTold: boolean;
}

/** Deletes VMs that have no Machine, each with a last look at the API server; what goes on is not begun again. */
export class Deletions {
  readonly #parts: DeletionsParts;
  /** By driver and providerID. */
  readonly #leaving = new Set<string>();
  /** How often in a row a VM that was to be deleted was not: its deletion failed, or it was spared. */
  readonly #setbacks = new Map<string, number>();
  /** VMs whose deletion was answered, and whose Nodes are still to go; it dies with the process, and Nodes tell the next one. */
  readonly #answered = new Map<string, Answered>();
  readonly #turns = new Turns();

  constructor(parts: DeletionsParts) {
    this.#parts = parts;
  }

  /** The VM is being deleted, by whichever class it was found. */
  isLeaving(driver: Driver, vm: ListedVm): boolean {
    return this.#leaving.has(nameOf(driver, vm));
  }

  /** VMs whose deletion has failed, and those that were spared, go last, so that they keep no others from going. */
  inOrder(driver: Driver, vms: readonly ListedVm[]): ListedVm[] {
    const setbacks = (vm: ListedVm) => this.#setbacks.get(nameOf(driver, vm)) ?? 0;
    return [...vms].sort((one, other) => setbacks(one) - setbacks(other));
  }

  /** Resolves when the VM is gone, was spared, or could not be deleted; all three are told. Never rejects. */
  async delete(order: Order): Promise<void> {
    const { vm, driver } = order;
    const name = nameOf(driver, vm);
    if (this.#leaving.has(name)) return;
    this.#leaving.add(name);
    try {
      if (await this.#isSpared(order)) return this.#goesLast(order);
      await noteDeletion(this.#parts, order);
      await this.#call(order);
      this.#answered.set(name, { order, isTold: false });
      await untilGone(this.#watching(order), this.#request(order));
      await this.#gone(order);
    } catch (error) {
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
    const answered = [...this.#answered.values()].filter(
      ({ order: { vm, machineClass } }) => keyOf(machineClass) === key && isOver(vm),
    );
    const due = this.#turns.of(`answered ${key}`, answered, {
      most: this.#parts.limits.most,
      nameOf: ({ order: { vm } }) => vm.providerID,
    });
    for (const { order } of due) if (!(await this.#finishAnswered({ ...order, ...found }))) break;
    await this.#finishNoted(found, isOver);
  }

  async #finishAnswered(order: Order): Promise<boolean> {
    const name = nameOf(order.driver, order.vm);
    if (this.#leaving.has(name)) return true;
    this.#leaving.add(name);
    const goesOn = await this.#finishOne(order, () => this.#gone(order));
    this.#leaving.delete(name);
    return goesOn;
  }

  /** Nodes of which this process knows nothing but what they say. */
  async #finishNoted(found: Omit<Order, 'vm'>, isOver: (vm: ListedVm) => boolean): Promise<void> {
    const { driver, machineClass } = found;
    const noted = notedNodes(this.#parts, machineClass).filter(
      ({ vm }) => isOver(vm) && !this.#answered.has(nameOf(driver, vm)),
    );
    const due = this.#turns.of(`noted ${keyOf(machineClass)}`, noted, {
      most: this.#parts.limits.most,
      nameOf: nameOfNoted,
    });
    for (const one of due)
      if (!(await this.#finishOne({ vm: one.vm, ...found }, () => deleteNoted(this.#parts, one)))) return;
  }

  /** The class is gone, or another driver's: nobody lists its VMs any more. */
  forget(key: string): void {
    for (const [name, { order }] of this.#answered) if (keyOf(order.machineClass) === key) this.#answered.delete(name);
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
  async #gone(order: Order): Promise<void> {
    const name = nameOf(order.driver, order.vm);
    const answered = this.#answered.get(name);
    if (!answered?.isTold) this.#deleted(order);
    this.#answered.set(name, { order, isTold: true });
    await deleteNodes(this.#parts, order);
    this.#answered.delete(name);
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

  /** The cache may be behind, also by a Machine that was made since the list (MCM 13.3): the API server is asked. */
  async #isSpared({ vm, machineClass }: Order): Promise<boolean> {
    const { log, metrics } = this.#parts;
    const claims = claimsOf(await this.#namesakes(vm), machineClass, this.#parts);
    if (!claims.named(vm) && !claims.pending(vm) && !claims.retained(vm)) return false;
    log.info('an orphan is spared: it has a Machine by now', fieldsOf({ vm, machineClass }));
    metrics.count('drover_orphan_deletions_total', { class: keyOf(machineClass), outcome: 'spared' });
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
    const reason = () => new DOMException('deleteMachine took too long', 'TimeoutError');
    const deadline = new Deadline({ clock, ms: deadlines.deleteMachine, parent, reason });
    const request = { ...this.#request(order), signal: deadline.signal };
    try {
      await unlessAborted(order.driver.deleteMachine(request), deadline.signal);
    } finally {
      deadline.end();
    }
  }

  #goesLast({ driver, vm }: Pick<Order, 'driver' | 'vm'>): void {
    const name = nameOf(driver, vm);
    this.#setbacks.set(name, (this.#setbacks.get(name) ?? 0) + 1);
  }

  #deleted({ driver, vm, machineClass }: Order): void {
    const { log, metrics, events } = this.#parts;
    this.#setbacks.delete(nameOf(driver, vm));
    metrics.count('drover_orphan_deletions_total', { class: keyOf(machineClass), outcome: 'deleted' });
    log.info('orphan deleted', fieldsOf({ vm, machineClass }));
    events.record(machineClass, eventOf(orphanEvents, 'OrphanDeleted', `${titleOf(vm)} is deleted`));
  }

  #failed({ driver, vm, machineClass }: Order, error: unknown): void {
    const { log, metrics, events } = this.#parts;
    this.#goesLast({ driver, vm });
    metrics.count('drover_orphan_deletions_total', { class: keyOf(machineClass), outcome: 'failed' });
    const { code, message } = toDriverError(error);
    log.warn('an orphan was not deleted', { ...fieldsOf({ vm, machineClass }), code, error });
    const note = `${titleOf(vm)} was not deleted: ${code}: ${message}`;
    events.record(machineClass, eventOf(orphanEvents, 'OrphanDeletionFailed', note));
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
