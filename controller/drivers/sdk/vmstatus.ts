import { LABEL_NODE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Driver, ListedVm, MachineRequest, VmAnswer, VmOwner } from './driver.ts';
import { DriverError } from './errors.ts';

/** A VM that is there, or nothing: there is none. */
export type VmStatus =
  | (VmAnswer & {
      initialized: boolean;
      /** Nobody has said so: the driver cannot tell, and the Machine's record is believed. */
      assumed?: true;
    })
  | undefined;

/**
 * How the VM of a Machine stands; NotFound is thrown, as the driver throws it. Without a status method the list is asked; without
 * a list the create itself must be idempotent (hack/decisions/0000 6).
 */
export async function vmStatus(driver: Driver, request: MachineRequest): Promise<VmStatus> {
  if (!driver.getMachineStatus) return listed(driver, request);
  try {
    return { ...(await driver.getMachineStatus(request)), initialized: true };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    if (error.code === 'Unimplemented') return listed(driver, request);
    if (error.code !== 'Uninitialized') throw error;
    return { ...identity(error.known, request.machine), ...tellingOwner(error.known), initialized: false };
  }
}

async function listed(driver: Driver, request: MachineRequest): Promise<VmStatus> {
  const { spec, metadata } = request.machine;
  const all = await listIfItCan(driver, request);
  if (!all)
    return spec?.providerID ? { ...identity({}, request.machine), initialized: true, assumed: true } : undefined;
  const found = candidates(driver, request, all);
  const [vm] = found;
  if (found.length > 1) throw new DriverError('OutOfRange', `${found.length} VMs are named ${metadata.name}`);
  return vm && { ...identity(vm, request.machine), ...tellingOwner(vm), initialized: true };
}

/** Undefined if the driver has no list: Unimplemented is an answer. */
async function listIfItCan(driver: Driver, request: MachineRequest): Promise<ListedVm[] | undefined> {
  try {
    return await driver.listMachines?.(request);
  } catch (error) {
    if (error instanceof DriverError && error.code === 'Unimplemented') return undefined;
    throw error;
  }
}

/** The mark, where the driver tells one. */
export const tellingOwner = ({ owner }: { owner?: VmOwner }): Pick<VmAnswer, 'owner'> => (owner ? { owner } : {});

/** The one that is on record; before that the one that is marked for the Machine, else those that may be its by their name. */
function candidates(driver: Driver, request: MachineRequest, all: readonly ListedVm[]): ListedVm[] {
  const { spec, metadata } = request.machine;
  const id = spec?.providerID;
  if (id) return named(driver, id, all);
  const marked = all.filter(({ owner }) => owner?.uid !== undefined && owner.uid === metadata.uid);
  if (marked.length > 0) return marked;
  const made = predecessorsIn(request).map((owner) => all.filter((vm) => mayBeOf(request, vm, owner)));
  return made.find((vms) => vms.length > 0) ?? [];
}

/** The one of these very words, else the one of which the driver says that they denote it. */
function named(driver: Driver, id: string, all: readonly ListedVm[]): ListedVm[] {
  const isSameVm = sameVmBy([driver]);
  const found = all.find((vm) => vm.providerID === id) ?? all.find((vm) => isSameVm(vm.providerID, id));
  return found ? [found] : [];
}

/** A namesake of another installation is no VM of ours, unless its namespace was moved from there (hack/decisions/0000 6). */
const mayBeOf = (request: MachineRequest, vm: ListedVm, owner: VmOwner): boolean =>
  !vm.retained &&
  (vm.owner
    ? isNamesake(vm.owner, owner)
    : vm.machineName === request.machine.metadata.name &&
      (vm.incarnation ?? request.incarnation) === request.incarnation);

/** What the driver told, completed by what the Machine already records. */
export function identity(known: DriverError['known'], { spec, metadata }: Machine): VmAnswer {
  const providerID = known.providerID ?? spec?.providerID ?? '';
  if (!providerID) throw new DriverError('Internal', 'the driver names no providerID for a VM that it says exists');
  const { nodeName = metadata.labels?.[LABEL_NODE] ?? metadata.name, lastKnownState } = known;
  return { providerID, nodeName, ...(lastKnownState !== undefined && { lastKnownState }) };
}

/**
 * What stands behind the last slash of a providerID, whatever its case; all of an id that has nothing there. Ids with other
 * ends are never one VM's. The same end alone says little: a name is one VM's within its project or zone (hack/decisions/0043).
 */
export function endOf(providerID: string): string {
  const end = providerID.slice(providerID.lastIndexOf('/') + 1);
  return (end || providerID).toLowerCase();
}

/** The end of the id of the VM that a Machine names, as an index: none before it is known. */
export const vmEndsOf = ({ spec }: Machine): string[] => (spec?.providerID ? [endOf(spec.providerID)] : []);

/** Whether two ids denote one VM. */
export type SameVm = (one: string, other: string) => boolean;

/** In the same words, or because one of the drivers says so of two ways to write it (driver.ts, isSameVm). */
export function sameVmBy(drivers: Iterable<Pick<Driver, 'isSameVm'>>): SameVm {
  const judges = [...drivers].filter(({ isSameVm }) => isSameVm !== undefined);
  return (one, other) =>
    one === other || (endOf(one) === endOf(other) && judges.some((driver) => isSameBy(driver, one, other)));
}

/** In one order, so that a driver cannot say this of the one and that of the other. */
const isSameBy = ({ isSameVm }: Pick<Driver, 'isSameVm'>, one: string, other: string): boolean =>
  isSameVm !== undefined && (one < other ? isSameVm(one, other) : isSameVm(other, one));

/** Whose VM a request asks for: the mark that this Machine's VM has, or is to get. Of a sweep the UID may be unknown. */
export const ownerIn = ({ machine: { metadata }, incarnation }: MachineRequest): Required<VmOwner> => ({
  installation: incarnation,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid ?? '',
});

/** Both name one Machine, as far as they say; a UID that is known on both sides tells two Machines of one name apart. */
export const isSameOwner = (mark: VmOwner, owner: VmOwner): boolean =>
  isNamesake(mark, owner) && isSame(mark.uid, owner.uid);

/** Both name a Machine of this name, namespace and installation, whatever its UID. */
export const isNamesake = (mark: VmOwner, owner: VmOwner): boolean =>
  mark.name === owner.name && isSame(mark.namespace, owner.namespace) && isSame(mark.installation, owner.installation);

/** The owner under each id that its namespace has had: this installation's first, then those that it was moved from (0047). */
export const ownersUnder = (owner: VmOwner, former: readonly string[] = []): VmOwner[] => [
  owner,
  ...former.map((installation) => ({ ...owner, installation })),
];

/** For drivers: whose namesakes a Machine without a VM on record finds its own among, the first that has one. */
const predecessorsIn = (request: MachineRequest): VmOwner[] =>
  ownersUnder(ownerIn(request), request.formerIncarnations);

/** For drivers: the VM that was made for the request's Machine before a restore or a move, as its mark says. */
export function predecessorAmong<V>(
  vms: readonly V[],
  ownerOf: (vm: V) => VmOwner | undefined,
  request: MachineRequest,
): V | undefined {
  const isIts = (vm: V, owner: VmOwner) => isNamesake(ownerOf(vm) ?? { name: '' }, owner);
  return predecessorsIn(request)
    .map((owner) => vms.find((vm) => isIts(vm, owner)))
    .find((vm) => vm !== undefined);
}

/** What is not known speaks against nothing. */
const isSame = (one: string | undefined, other: string | undefined): boolean => !one || !other || one === other;

/**
 * For drivers, before they do anything to a VM that has a mark.
 * @throws DriverError FailedPrecondition for a VM whose mark names another Machine
 */
export function assertOwned(vm: { providerID: string; owner: VmOwner | undefined }, request: MachineRequest): void {
  if (!vm.owner || isSameOwner(vm.owner, ownerIn(request))) return;
  throw new DriverError('FailedPrecondition', `VM ${vm.providerID} is that of ${ownerText(vm.owner, request.machine)}`);
}

/** An owner in sentences for those who read this Machine: what is in namespaces of others is not named to them. */
export function ownerText(
  { namespace, name, uid, installation }: VmOwner,
  { metadata }: Pick<Machine, 'metadata'>,
): string {
  if (namespace && namespace !== metadata.namespace) return 'a Machine of another namespace';
  const beside = [uid && `UID ${uid}`, installation && `installation ${installation}`].filter(Boolean).join(', ');
  return `Machine ${namespace ? `${namespace}/` : ''}${name}${beside && ` (${beside})`}`;
}
