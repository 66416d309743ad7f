import { keyOf } from '../../runtime/k8s/object.ts';
import type { MachineRequest } from '../sdk/driver.ts';
import { ownerIn, predecessorAmong } from '../sdk/vmowner.ts';
import type { Presence } from './store.ts';
import { ownerOf, type Vm } from './vm.ts';

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
