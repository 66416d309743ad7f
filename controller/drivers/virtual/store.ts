import { keyOf } from '../../runtime/k8s/object.ts';
import type { MachineRequest } from '../sdk/driver.ts';
import { ownerIn, predecessorAmong } from '../sdk/vmstatus.ts';
import { ownerOf, type Vm } from './vm.ts';

/** Whether a VM is there, was taken away through `delete`, or is gone without the driver's doing. */
export type Presence = 'there' | 'deleted' | 'vanished';

/** Fields of a VM that change during its life. A tag that becomes null is taken off; tags left out stay. */
export interface VmUpdate
  extends Partial<Pick<Vm, 'state' | 'initialized' | 'deleting' | 'spec' | 'machineUID' | 'incarnation'>> {
  /** When its Machine left it on purpose; null when one has claimed it again. */
  retained?: number | null;
  tags?: Readonly<Record<string, string | null>>;
}

/** Which VMs exist: the database of the simulated provider. Every call gives up when its signal aborts. */
export interface VmStore {
  /** Resolves once the VMs that exist have been reported to listeners, and keeps reporting until the signal aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Calls `listener` with each VM that is new, changed or gone; of one that is gone, as it last was. */
  onChange(listener: (vm: Vm, presence: Presence) => void): void;
  /** Every VM as last reported. */
  all(): Iterable<Vm>;
  /** The VM as last reported, without a request. */
  seen(uid: string): Vm | undefined;
  /** The VM as it is now. */
  get(uid: string, signal: AbortSignal): Promise<Vm | undefined>;
  /** All VMs as they are now. */
  list(signal: AbortSignal): Promise<Vm[]>;
  /** Makes a VM, or answers the one that has its UID already. Once this resolves, listeners have seen the VM. */
  create(vm: Vm, signal: AbortSignal): Promise<Vm>;
  /** The VM after the change; undefined when there is none. */
  update(uid: string, change: VmUpdate, signal: AbortSignal): Promise<Vm | undefined>;
  /** Takes a VM away; one that is gone already is fine. Once this resolves, listeners have seen that. */
  delete(uid: string, signal: AbortSignal): Promise<void>;
  /** Like `delete`, but listeners see a VM that has vanished. */
  lose(uid: string, signal: AbortSignal): Promise<void>;
}

/** Finds VMs by the Machines that their marks name. */
export class Marks {
  /** By `namespace/name` of the Machine, then by UID of the VM. */
  readonly #vms = new Map<string, Map<string, Vm>>();

  /** Follows a store. */
  follow(vm: Vm, presence: Presence): void {
    const namesakes = this.#vms.get(vm.machine) ?? new Map<string, Vm>();
    if (presence === 'there') this.#vms.set(vm.machine, namesakes.set(vm.uid, vm));
    else if (namesakes.delete(vm.uid) && namesakes.size === 0) this.#vms.delete(vm.machine);
  }

  /** The VM whose mark names the Machine. */
  own(request: MachineRequest): Vm | undefined {
    const { uid } = ownerIn(request);
    return this.#of(request).find((vm) => ownerOf(vm)?.uid === uid);
  }

  /** The oldest VM that was made for the Machine before a restore or a move, and was not left on purpose. */
  before(request: MachineRequest): Vm | undefined {
    const left = this.#of(request).filter(isLeft);
    const byAge = left.sort((one, other) => one.created - other.created);
    return predecessorAmong(byAge, ownerOf, request);
  }

  #of({ machine }: MachineRequest): Vm[] {
    return [...(this.#vms.get(keyOf(machine))?.values() ?? [])];
  }
}

const isLeft = ({ retained, deleting, incarnation }: Vm): boolean =>
  retained === undefined && deleting === undefined && incarnation !== undefined;
