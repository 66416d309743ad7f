import type { VirtualSpec } from '../../../schemas/providers/virtual.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { keyOf, refOf } from '../../runtime/k8s/object.ts';
import type { ClaimRequest, ClassRequest, ListedVm, MachineRequest, UpdateRequest, VmAnswer } from '../sdk/driver.ts';
import { DriverError } from '../sdk/errors.ts';
import { assertOwned, isSameOwner, ownerIn, ownerText, predecessorAmong } from '../sdk/vmstatus.ts';
import { Ledger } from './ledger.ts';
import { isNodeOf } from './life.ts';
import { addressesOf, nodeOfClass } from './node.ts';
import { readSpec, specOrNone } from './spec.ts';
import { Marks, type VmStore } from './store.ts';
import { isToInitialize, latencyMs, momentsOf, ownerOf, providerIDOf, stateOf, uidIn, type Vm } from './vm.ts';

/** What the cloud needs. */
export interface CloudParts {
  store: VmStore;
  /** The Node of that name in the target of that cluster, if it is known. */
  nodeOf(cluster: string, name: string): Node | undefined;
  clock: Clock;
}

/** The simulated provider, as its API would be: the driver's methods without the faults. */
export class Cloud {
  readonly #parts: CloudParts;
  readonly #ledger = new Ledger();
  readonly #marks = new Marks();

  constructor(parts: CloudParts) {
    this.#parts = parts;
    parts.store.onChange((vm, presence) => {
      this.#ledger.follow(vm, presence);
      this.#marks.follow(vm, presence);
    });
  }

  /** Makes the VM of the token or finds it, and answers when its creation is over. */
  async create(request: MachineRequest): Promise<VmAnswer> {
    const spec = readSpec(request.class.providerSpec);
    const vm = this.#parts.store.seen(this.#uidBefore(request)) ?? (await this.#make(request, spec));
    refuseForeign(vm, request);
    await this.#until(momentsOf(vm).made, request.signal);
    return { ...answerOf(vm), initialized: !isToInitialize(vm) };
  }

  /** Switches the VM off, and takes it away when its deletion is over; one that is to stay for a while then goes by itself. */
  async delete(request: MachineRequest): Promise<Record<string, never>> {
    const { store } = this.#parts;
    const uid = this.#uidIn(request);
    const vm = await this.#owned(request);
    const tookMs = vm ? latencyMs(vm, 'delete') : 0;
    const staysMs = vm ? latencyMs(vm, 'terminate') : 0;
    const offAt = vm && tookMs + staysMs > 0 ? await this.#switchOff(vm, request.signal) : 0;
    if (offAt > 0) await this.#until(offAt + tookMs, request.signal);
    if (staysMs > 0 && this.#parts.clock.now() < offAt + tookMs + staysMs) return {};
    await store.delete(uid, request.signal);
    return {};
  }

  /** Answers for the VM, whosever it is, or with NotFound or Uninitialized. */
  async status(request: MachineRequest): Promise<VmAnswer> {
    const vm = await this.#parts.store.get(this.#uidBefore(request), request.signal);
    if (!vm) throw notFound(request);
    if (!isToInitialize(vm)) return { ...answerOf(vm), hot: hotFieldsOf(vm) };
    throw new DriverError('Uninitialized', `VM ${providerIDOf(vm.uid)} is still to be initialized`, {
      known: answerOf(vm),
    });
  }

  /** Lets a VM boot that waits for it; for any other VM there is nothing to do. */
  async initialize(request: MachineRequest): Promise<VmAnswer> {
    const { store, clock } = this.#parts;
    const vm = await this.#owned(request);
    if (vm && !isToInitialize(vm)) return answerOf(vm);
    const initialized = vm && (await store.update(vm.uid, { initialized: clock.now() }, request.signal));
    if (!initialized) throw notFound(request);
    return answerOf(initialized);
  }

  /** Notes on the VM that it was left on purpose. */
  async retain(request: MachineRequest): Promise<void> {
    const { store, clock } = this.#parts;
    const vm = await this.#owned(request);
    const marked = vm && (vm.retained ? vm : await store.update(vm.uid, { retained: clock.now() }, request.signal));
    if (!marked) throw notFound(request);
  }

  /** Gives the VM the mark of the Machine, if it has the one that it is thought to have. */
  async claim(request: ClaimRequest): Promise<VmAnswer> {
    const { store } = this.#parts;
    const vm = await store.get(this.#uidIn(request), request.signal);
    const mark = vm && ownerOf(vm);
    if (!mark) throw notFound(request);
    const { uid: machineUID, installation: incarnation } = ownerIn(request);
    const isThought = isSameOwner(mark, request.from) || isSameOwner(mark, ownerIn(request));
    if (!isThought || vm.deleting !== undefined)
      throw new DriverError(
        'FailedPrecondition',
        `VM ${providerIDOf(vm.uid)} is that of ${ownerText(mark, request.machine)}`,
      );
    const claimed = await store.update(vm.uid, { machineUID, incarnation, retained: null }, request.signal);
    if (!claimed) throw notFound(request);
    return answerOf(claimed);
  }

  /** The VMs of the class. */
  async list({ class: { metadata }, signal }: ClassRequest): Promise<ListedVm[]> {
    const name = keyOf({ metadata });
    const vms = await this.#parts.store.list(signal);
    return vms.filter((vm) => vm.class === name).map(listedOf);
  }

  /** Gives the VM the hot fields of its class. Tags that were never the class's stay as they are. */
  async update(request: UpdateRequest): Promise<void> {
    const { store } = this.#parts;
    const spec = readSpec(request.class.providerSpec);
    const vm = await this.#owned(request);
    if (!vm) throw notFound(request);
    const dropped = Object.keys(specOrNone(request.applied).tags ?? {}).map((key) => [key, null]);
    const tags = { ...Object.fromEntries(dropped), ...spec.tags };
    const updated = await store.update(vm.uid, { spec: hotSpec(vm.spec, spec), tags }, request.signal);
    if (!updated) throw notFound(request);
  }

  /** UID of the VM that the request is about; that of a VM which could be made for it when there is none. */
  #uidIn(request: MachineRequest): string {
    return (request.machine.spec.providerID ? undefined : this.#marks.own(request)?.uid) ?? uidIn(request);
  }

  /** The same; before there is one, that of the VM that was made for the Machine before a restore. */
  #uidBefore(request: MachineRequest): string {
    const uid = this.#uidIn(request);
    const isNew = !request.machine.spec.providerID && !this.#parts.store.seen(uid);
    return (isNew ? this.#marks.before(request)?.uid : undefined) ?? uid;
  }

  /** The VM that the request is about, unless it is another Machine's. */
  async #owned(request: MachineRequest): Promise<Vm | undefined> {
    const vm = await this.#parts.store.get(this.#uidIn(request), request.signal);
    if (vm) assertOwned({ providerID: providerIDOf(vm.uid), owner: ownerOf(vm) }, request);
    return vm;
  }

  async #make(request: MachineRequest, spec: VirtualSpec): Promise<Vm> {
    this.#refuseImpossible(request);
    const { store } = this.#parts;
    const { token: uid } = request;
    const address = this.#ledger.reserve({ uid, class: keyOf(request.class), capacity: spec.capacity });
    try {
      return await store.create(this.#vmFor(request, { spec, address }), request.signal);
    } finally {
      if (!store.seen(uid)) this.#ledger.release(uid);
    }
  }

  #vmFor(request: MachineRequest, { spec, address }: { spec: VirtualSpec; address: string }): Vm {
    const now = this.#parts.clock.now();
    const vm: Vm = {
      uid: request.token,
      machine: keyOf(request.machine),
      nodeName: request.machine.metadata.name,
      class: keyOf(request.class),
      cluster: clusterIn(request),
      incarnation: request.incarnation,
      address,
      created: now,
      state: 'Creating',
      broken: false,
      spec,
      node: nodeOfClass(request.class, spec),
      tags: spec.tags ?? {},
    };
    return { ...vm, state: stateOf(vm, now) };
  }

  #refuseImpossible(request: MachineRequest): void {
    const { machine, token } = request;
    const { name } = machine.metadata;
    const node = this.#parts.nodeOf(clusterIn(request), name);
    if (!node || isNodeOf({ uid: token }, node)) return;
    throw new DriverError('AlreadyExists', `a Node ${name} is there already and belongs to another machine`);
  }

  /** Answers since when the VM is off. */
  async #switchOff(vm: Vm, signal: AbortSignal): Promise<number> {
    if (vm.deleting !== undefined) return vm.deleting;
    const deleting = this.#parts.clock.now();
    await this.#parts.store.update(vm.uid, { deleting, state: 'Deleting' }, signal);
    return deleting;
  }

  async #until(moment: number, signal: AbortSignal): Promise<void> {
    const ms = moment - this.#parts.clock.now();
    if (ms > 0) await this.#parts.clock.sleep(ms, signal);
  }
}

/** Key of the Cluster that the VM is to join; empty for the default target. */
const clusterIn = ({ cluster }: MachineRequest): string => (cluster ? `${cluster.namespace}/${cluster.name}` : '');

const answerOf = (vm: Vm): VmAnswer => ({
  providerID: providerIDOf(vm.uid),
  nodeName: vm.nodeName,
  ...markOf(vm),
  addresses: addressesOf(vm),
});

function markOf(vm: Vm): Pick<VmAnswer, 'owner'> {
  const owner = ownerOf(vm);
  return owner ? { owner } : {};
}

const listedOf = (vm: Vm): ListedVm => ({
  providerID: providerIDOf(vm.uid),
  machineName: refOf(vm.machine).name,
  created: vm.created,
  ...markOf(vm),
  ...(vm.incarnation === undefined ? {} : { incarnation: vm.incarnation }),
  ...(vm.retained === undefined ? {} : { retained: true }),
});

/** A spec with the hot fields of another (`x-drover-hot-update`); tags live on the VM itself. */
const hotSpec = ({ initialize, node }: VirtualSpec, hot: VirtualSpec): VirtualSpec => ({ ...hot, initialize, node });

/** What the class can change on the VM that lives; its own tags and those of others. */
const hotFieldsOf = ({ spec: { initialize: _, node: __, ...hot }, tags }: Vm): VirtualSpec => ({ ...hot, tags });

const notFound = (request: MachineRequest): DriverError =>
  new DriverError('NotFound', `there is no virtual VM for ${keyOf(request.machine)}`);

/** One that was made for the Machine before a restore or a move is found by its name; the answer has its mark. */
function refuseForeign(vm: Vm, request: MachineRequest): void {
  if (vm.deleting !== undefined) throw new DriverError('Aborted', `VM ${providerIDOf(vm.uid)} is being deleted`);
  if (predecessorAmong([vm], ownerOf, request)) return;
  const owner = ownerOf(vm);
  throw new DriverError(
    'AlreadyExists',
    `VM ${providerIDOf(vm.uid)} is that of ${owner ? ownerText(owner, request.machine) : 'nobody'}`,
  );
}
