import type { Machine } from '../../../schemas/machine.ts';
import type { MachineRequest, VmOwner } from './driver.ts';
import { DriverError } from './errors.ts';

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
export const predecessorsIn = (request: MachineRequest): VmOwner[] =>
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
