import { confirmedAt } from '../../controller/model/machine.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Write } from '../world/store.ts';
import type { Cloud } from './cloud.ts';
import type { Server } from './server.ts';

/** What it takes to know who takes a VM over. */
interface HeirParts {
  cloud: Cloud;
  control: Server;
  /** VMs are marked with their machines. */
  marks: boolean;
}

const MACHINES = 'machine.sapcloud.io/machines';

/**
 * VMs that were taken over: in a cloud without marks one whose Machine has gone, such as one that was left on purpose, is that of the Machine
 * of which it is recorded next (hack/decisions/0039). Nobody could tell a thief from somebody who wants it back; from then on it is that
 * Machine's in truth as well, and goes with it.
 */
export class Heirs {
  readonly #parts: HeirParts;
  readonly #inherited = new Set<string>();

  constructor(parts: HeirParts) {
    this.#parts = parts;
  }

  /** Whether the VM of this id was taken over. */
  has(providerID: string): boolean {
    return this.#inherited.has(providerID);
  }

  /** A Machine was written: the record that a VM is its own may be new. */
  note({ resource, after }: Write): void {
    const machine = after as Machine | undefined;
    if (this.#parts.marks || resource !== MACHINES || !machine || confirmedAt(machine) === undefined) return;
    const { cloud } = this.#parts;
    const vm = cloud.vms.get(machine.spec?.providerID ?? '');
    const { uid = '' } = machine.metadata;
    if (!vm || vm.stranger || vm.token === uid || this.#isHeld(vm.token)) return;
    cloud.claim(vm, { token: uid, incarnation: vm.incarnation });
    this.#inherited.add(vm.providerID);
  }

  #isHeld(uid: string): boolean {
    const machines = this.#parts.control.api.store.list(MACHINES) as Machine[];
    return machines.some((one) => one.metadata.uid === uid && holds(one));
  }
}

/** Who leaves has let go of its VM once it has no finalizer of ours any more, whoever else keeps it. */
const holds = ({ metadata: { deletionTimestamp, finalizers = [] } }: Machine): boolean =>
  deletionTimestamp === undefined || finalizers.includes(FINALIZER);
