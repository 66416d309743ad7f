import type { Machine } from '../../../schemas/machine.ts';
import type { VmOwner } from '../../drivers/sdk/driver.ts';
import { isNamesake, isSameOwner, ownersUnder, ownerText, type SameVm } from '../../drivers/sdk/vmstatus.ts';
import { confirmedAt, isBefore } from '../../model/machine.ts';

/** Whether the VM that a Machine names is its own: what the Machine says of itself is a claim, and no more (hack/decisions/0039). */
export type ClaimFact =
  /** The driver has not told this process whose it is. */
  | { at: 'unknown' }
  /** Its driver has no VM of such an id, whoever it is: another cloud's, or nobody's. */
  | { at: 'foreign' }
  /** It is; `marked`: its mark says that it was made for the Machine. */
  | { at: 'own'; marked: boolean }
  /** It was made for the Machine before a restore gave that another UID, or under another id: of the installation, or of one before a move. */
  | { at: 'heir'; of: VmOwner }
  /**
   * It is another's, or may be; whose, in words. `installation`: the mark names a Machine of this namespace and name under
   * that other id, so that it may be this one before a restore or a move.
   */
  | { at: 'others'; whose: string; installation?: { its: string; ours: string } };

/** What a driver reported of a VM. */
export interface ReportedVm {
  providerID: string;
  nodeName: string;
  owner?: VmOwner | undefined;
  addresses?: ReadonlyArray<{ type: string; address: string }> | undefined;
}

/** What a claim is judged by. */
export interface ClaimFacts {
  machine: Machine;
  /** The driver's last word on the Machine's VM in this process, also of one that is gone since. */
  reported: ReportedVm | undefined;
  installation: string;
  /** Ids of other installations that the Machine's namespace was moved from (hack/decisions/0047). */
  former?: readonly string[] | undefined;
  isSameVm: SameVm;
  /** Whether an id may denote a VM of the driver; any may unless a driver says so. */
  isVmId?: ((providerID: string) => boolean) | undefined;
  /** Machines whose providerID ends alike (drivers/sdk/vmstatus.ts), this one among them or not. */
  claimants: readonly Machine[];
}

/** How the Machine's claim to its VM stands. */
export function claimFact(facts: ClaimFacts): ClaimFact {
  const { machine, reported } = facts;
  const named = machine.spec?.providerID;
  if (named && facts.isVmId?.(named) === false) return { at: 'foreign' };
  if (!reported || (named && !facts.isSameVm(named, reported.providerID))) return { at: 'unknown' };
  return reported.owner ? byMark(facts, reported.owner) : byRecord(facts);
}

function byMark(facts: ClaimFacts, mark: VmOwner): ClaimFact {
  const self = selfOf(facts);
  if (isSameOwner(mark, self)) return mark.uid ? { at: 'own', marked: true } : byRecord(facts, mark);
  const isNamed = ownersUnder(self, facts.former).some((owner) => isNamesake(mark, owner));
  const isOurs = mark.uid === self.uid || (mark.uid !== undefined && isNamed);
  // Whoever had it and lost it does not take it back: there is another control plane of the same id.
  const hasLostIt = mark.uid !== self.uid && confirmedAt(facts.machine) !== undefined;
  if (isOurs && !hasLostIt) return { at: 'heir', of: mark };
  const installation = elsewhere(mark, self);
  return { at: 'others', whose: ownerText(mark, facts.machine), ...(installation && { installation }) };
}

/** Both installation ids, if the mark's Machine and this one differ in nothing but these ids and their UIDs. */
function elsewhere(mark: VmOwner, self: VmOwner): { its: string; ours: string } | undefined {
  const { installation: its, namespace } = mark;
  const { installation: ours } = self;
  if (!its || !ours || its === ours || !namespace) return undefined;
  return isNamesake({ ...mark, installation: ours }, self) ? { its, ours } : undefined;
}

/** A VM without a mark belongs to the Machine that was recorded first; before any was, to the only Machine that names it. */
function byRecord(facts: ClaimFacts, mark?: VmOwner): ClaimFact {
  const { machine, reported, installation, isSameVm } = facts;
  const mayBeIts = ({ metadata: { name, namespace, uid } }: Machine) =>
    !mark || isSameOwner(mark, { installation, name, namespace, uid });
  const isOther = ({ metadata }: Machine) => metadata.uid !== machine.metadata.uid;
  const namesIt = ({ spec }: Machine) =>
    [reported?.providerID, machine.spec?.providerID].some(
      (id) => id && spec?.providerID && isSameVm(id, spec.providerID),
    );
  const rivals = facts.claimants.filter((one) => isOther(one) && namesIt(one) && mayBeIts(one));
  const ahead = rivals.find((rival) => !isBefore(machine, rival));
  return ahead ? { at: 'others', whose: `${ownerText(nameOf(ahead), machine)}, too` } : { at: 'own', marked: false };
}

const nameOf = ({ metadata: { namespace, name } }: Machine): VmOwner => ({ namespace, name });

const selfOf = ({ machine: { metadata }, installation }: ClaimFacts): VmOwner => ({
  installation,
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
});
