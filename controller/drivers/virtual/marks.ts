import type { MachineRequest } from '../../driver.ts';
import { keyOf } from '../../runtime/object.ts';
import { isNamesake, ownerIn } from '../../vmowner.ts';
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

  /** The VM whose mark names the Machine; else the oldest one that was made for it before a restore, and was not left on purpose. */
  find(request: MachineRequest): Vm | undefined {
    const owner = ownerIn(request);
    const namesakes = [...(this.#vms.get(keyOf(request.machine))?.values() ?? [])];
    const own = namesakes.find((vm) => ownerOf(vm)?.uid === owner.uid);
    const made = namesakes.filter((vm) => isOrphaned(vm) && isNamesake(ownerOf(vm) ?? { name: '' }, owner));
    return own ?? made.sort((one, other) => one.created - other.created)[0];
  }
}

const isOrphaned = ({ retained, deleting, incarnation }: Vm): boolean =>
  retained === undefined && deleting === undefined && incarnation !== undefined;
