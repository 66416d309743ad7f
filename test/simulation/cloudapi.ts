import type {
  ClaimRequest,
  ClassRequest,
  ListedVm,
  MachineRequest,
  UpdateRequest,
  VmAnswer,
  VmOwner,
} from '../../controller/drivers/sdk/driver.ts';
import { DriverError } from '../../controller/drivers/sdk/errors.ts';
import { assertOwned, isSameOwner, predecessorAmong } from '../../controller/drivers/sdk/vmstatus.ts';
import { keyOf, refOf } from '../../controller/runtime/k8s/object.ts';
import type { Chance } from './chance.ts';
import type { Cloud, Vm } from './cloud.ts';
import { tagChanges, tagsOf } from './tags.ts';

/** How the cloud of a run behaves. */
export interface CloudHabits {
  /** VMs are to be initialized after their creation. */
  initializes: boolean;
  /** There is no status method: the list is asked. */
  listsOnly: boolean;
  /** VMs are marked with their machines, and tell their marks. */
  marks: boolean;
  /** Longest time that a new VM is not shown, milliseconds. */
  lagMs: number;
  /** Longest time that a VM is there after its deletion was answered, milliseconds. */
  deletionMs: number;
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
    const before = cloud.of(request.token).length > 0 ? undefined : this.#namesake(request, [...cloud.vms.values()]);
    const vm = before ?? cloud.create({ ...wishOf(request), initialized: !habits.initializes, lagMs });
    return { ...this.#answerOf(vm), initialized: vm.initialized };
  }

  delete(request: MachineRequest): void {
    const { cloud, habits, chance } = this.#parts;
    this.#owned(request, [...cloud.vms.values()]);
    const takesMs = chance.between(0, habits.deletionMs);
    cloud.delete({ token: request.token, providerID: request.machine.spec?.providerID, takesMs });
  }

  retain(request: MachineRequest): void {
    const vm = this.#owned(request, [...this.#parts.cloud.vms.values()]);
    if (!vm) throw notFound(keyOf(request.machine));
    if (vm.deleting) throw new DriverError('FailedPrecondition', `the deletion of ${vm.providerID} has begun`);
    vm.retained = true;
  }

  status(request: MachineRequest): VmAnswer {
    const shown = this.#parts.cloud.shown();
    const vm = this.#find(request, shown) ?? this.#namesake(request, shown);
    if (!vm) throw notFound(keyOf(request.machine));
    if (vm.initialized) return this.#answerOf(vm);
    throw new DriverError('Uninitialized', 'the VM is to be initialized', { known: this.#answerOf(vm) });
  }

  initialize(request: MachineRequest): VmAnswer {
    const vm = this.#owned(request, [...this.#parts.cloud.vms.values()]);
    if (!vm) throw notFound(keyOf(request.machine));
    vm.initialized = true;
    return this.#answerOf(vm);
  }

  claim(request: ClaimRequest): VmAnswer {
    const vm = this.#find(request, [...this.#parts.cloud.vms.values()]);
    if (!vm) throw notFound(keyOf(request.machine));
    if (!isSameOwner(ownerOf(vm), request.from)) assertOwned({ ...vm, owner: ownerOf(vm) }, request);
    this.#parts.cloud.claim(vm, { token: request.machine.metadata.uid ?? '', incarnation: request.incarnation });
    return this.#answerOf(vm);
  }

  /** With this probability it stops half-way. */
  update(request: UpdateRequest, stops: number): void {
    const { cloud, chance } = this.#parts;
    const vm = this.#owned(request, [...cloud.vms.values()]);
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
    return this.#parts.cloud.shown().map((vm) => this.#listedOf(vm));
  }

  /** All VMs of a class as a list shows them that may be behind. */
  listAll(): ListedVm[] {
    return this.#parts.cloud.listed(this.#parts.habits.ghostMs).map((vm) => this.#listedOf(vm));
  }

  /** The VM that a request is about, whosever it is, as the contract finds it. */
  #find(request: MachineRequest, among: readonly Vm[]): Vm | undefined {
    const { providerID } = request.machine.spec ?? {};
    if (providerID) return among.find((vm) => vm.providerID === providerID);
    const uid = request.machine.metadata.uid ?? request.token;
    return among.find(({ token }) => token === uid);
  }

  #namesake(request: MachineRequest, among: readonly Vm[]): Vm | undefined {
    if (!this.#parts.habits.marks || request.machine.spec?.providerID) return undefined;
    const left = among.filter((vm) => !vm.retained && vm.incarnation);
    return predecessorAmong(left, ownerOf, request);
  }

  #owned(request: MachineRequest, among: readonly Vm[]): Vm | undefined {
    const vm = this.#find(request, among);
    if (vm && this.#parts.habits.marks) assertOwned({ ...vm, owner: ownerOf(vm) }, request);
    return vm;
  }

  #answerOf = (vm: Vm): VmAnswer => ({ providerID: vm.providerID, nodeName: vm.nodeName, ...this.#markOf(vm) });

  #markOf = (vm: Vm): Pick<VmAnswer, 'owner'> => (this.#parts.habits.marks ? { owner: ownerOf(vm) } : {});

  #listedOf = (vm: Vm): ListedVm => ({
    providerID: vm.providerID,
    machineName: refOf(vm.machine).name,
    ...this.#markOf(vm),
    ...(vm.created !== undefined && { created: vm.created }),
    ...(vm.incarnation !== undefined && { incarnation: vm.incarnation }),
    ...(vm.retained && { retained: vm.retained }),
  });
}

/** The mark of a VM; of one that nobody of any installation made no more than its name. */
function ownerOf({ machine, token, incarnation }: Vm): VmOwner {
  const { namespace, name } = refOf(machine);
  return incarnation === undefined ? { namespace, name } : { installation: incarnation, namespace, name, uid: token };
}

const notFound = (what: string): DriverError => new DriverError('NotFound', `there is no VM of ${what}`);

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
