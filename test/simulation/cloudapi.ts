import { DriverError } from '../../controller/codes.ts';
import type { ClassRequest, ListedVm, MachineRequest, UpdateRequest, VmAnswer } from '../../controller/driver.ts';
import { keyOf } from '../../controller/runtime/object.ts';
import type { Chance } from './chance.ts';
import type { Cloud, Vm } from './cloud.ts';
import { tagChanges, tagsOf } from './tags.ts';

/** How the cloud of a run behaves. */
export interface CloudHabits {
  /** VMs are to be initialized after their creation. */
  initializes: boolean;
  /** There is no status method: the list is asked. */
  listsOnly: boolean;
  /** Longest time that a new VM is not shown, milliseconds. */
  lagMs: number;
  /** For how long a list of all VMs still shows those that have gone, milliseconds. */
  ghostMs: number;
}

/** What the cloud does when a call of the driver arrives. Throws a DriverError. */
export class CloudApi {
  readonly #parts: { cloud: Cloud; habits: CloudHabits; chance: Chance };

  constructor(parts: { cloud: Cloud; habits: CloudHabits; chance: Chance }) {
    this.#parts = parts;
  }

  create(request: MachineRequest): VmAnswer {
    const { cloud, habits, chance } = this.#parts;
    const lagMs = chance.between(0, habits.lagMs);
    const vm = cloud.create({ ...wishOf(request), initialized: !habits.initializes, lagMs });
    return { ...answerOf(vm), initialized: vm.initialized };
  }

  delete({ token, machine }: MachineRequest): void {
    this.#parts.cloud.delete(token, machine.spec?.providerID);
  }

  retain({ token, machine }: MachineRequest): void {
    const all = [...this.#parts.cloud.vms.values()];
    const vm = all.find(({ providerID, token: its }) => providerID === machine.spec?.providerID || its === token);
    if (!vm) throw notFound(keyOf(machine));
    vm.retained = true;
  }

  status({ token, machine }: MachineRequest): VmAnswer {
    const shown = this.#parts.cloud.shown();
    const vm = shown.find(({ providerID, token: its }) => providerID === machine.spec?.providerID || its === token);
    if (!vm) throw notFound(keyOf(machine));
    if (vm.initialized) return answerOf(vm);
    throw new DriverError('Uninitialized', 'the VM is to be initialized', { known: answerOf(vm) });
  }

  initialize({ token, machine }: MachineRequest): VmAnswer {
    const [vm] = this.#parts.cloud.of(token);
    if (!vm) throw notFound(keyOf(machine));
    vm.initialized = true;
    return answerOf(vm);
  }

  /** With this probability it stops half-way. */
  update(request: UpdateRequest, stops: number): void {
    const { cloud, chance } = this.#parts;
    const [vm] = cloud.of(request.machine.metadata.uid ?? '');
    if (!vm) throw notFound(keyOf(request.machine));
    const changes = tagChanges(request);
    const done = chance.happens(stops) ? chance.whole(0, changes.length) : Infinity;
    for (const [key, value] of changes.slice(0, done)) {
      if (value === undefined) delete vm.tags[key];
      else vm.tags[key] = value;
    }
    if (done !== Infinity) throw new DriverError('Internal', `${done} of ${changes.length} tags were set`);
    vm.size = sizeOf(request);
  }

  /** All VMs as they are, for who asks about one. */
  list(): ListedVm[] {
    return this.#parts.cloud.shown().map(listedOf);
  }

  /** All VMs of a class as a list shows them that may be behind. */
  listAll(): ListedVm[] {
    return this.#parts.cloud.listed(this.#parts.habits.ghostMs).map(listedOf);
  }
}

const notFound = (what: string): DriverError => new DriverError('NotFound', `there is no VM of ${what}`);

const answerOf = ({ providerID, nodeName }: Vm): VmAnswer => ({ providerID, nodeName });

const listedOf = ({ providerID, machine, created, incarnation, retained }: Vm): ListedVm => ({
  providerID,
  machineName: machine.slice(machine.indexOf('/') + 1),
  ...(created !== undefined && { created }),
  ...(incarnation !== undefined && { incarnation }),
  ...(retained && { retained }),
});

const wishOf = (request: MachineRequest) => ({
  token: request.token,
  machine: keyOf(request.machine),
  class: keyOf(request.class),
  nodeName: request.machine.metadata.name,
  incarnation: request.incarnation,
  size: sizeOf(request),
  tags: { ...tagsOf(request.class) },
});

const sizeOf = ({ class: { providerSpec } }: ClassRequest): number =>
  (providerSpec as { size?: number } | undefined)?.size ?? 0;
