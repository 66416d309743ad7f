import { isIP } from 'node:net';
import { ANNOTATION_NODE_MACHINE, ANNOTATION_NODE_NAMESPACE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { SameVm } from '../../drivers/sdk/vmstatus.ts';
import { confirmedAt, isBefore } from '../../model/machine.ts';
import { isControlPlane, isFromBefore, isOlder, recordedKey, recordedOwner } from '../../nodes/owner.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { ClaimFact, ReportedVm } from './vmclaim.ts';

/** What is known of whose Nodes are. */
export interface NodeFacts {
  machine: Machine;
  claim: ClaimFact;
  /** The driver's last word on the Machine's VM in this process. */
  reported: ReportedVm | undefined;
  /** The same of another Machine, by UID. */
  reportedOf(uid: string): ReportedVm | undefined;
  /** Machines of several namespaces may join the cluster of the Node. */
  isShared: boolean;
  /** There is no VM any more, or none that the Machine names. */
  isAbsent: boolean;
  /** Machines whose label names the Node. */
  namesakes: readonly Machine[];
  isSameVm: SameVm;
  /** The Machine of this key; `unseen` where it may be there, for not every namespace is looked after. */
  named(key: string): Machine | 'unseen' | undefined;
}

/**
 * Whether a Node is that of the VM that the Machine names: by providerID, in the same words or as the driver says (0043). That
 * is enough to look at it, whoever else names it: whose the VM is shows in the claims.
 */
export function isNodeOf(facts: NodeFacts, node: Node): boolean {
  const theirs = node.spec?.providerID;
  const own = facts.machine.spec?.providerID;
  if (!theirs) return whyNotIts(facts, node) === undefined;
  return own !== undefined && facts.isSameVm(own, theirs);
}

/**
 * Whether anything may be done to a Node that is that of the VM: the driver has confirmed the VM to be the Machine's, or it is gone
 * and had been confirmed to be this very Machine's. A record of another Machine stands against that as long as that one exists: a VM
 * may go on under a new name.
 */
export function isOwnNode(facts: NodeFacts, node: Node): boolean {
  const { machine, claim, isAbsent } = facts;
  const recorded = recordedOwner(node, machine);
  if (recorded === 'another' && isOfRecordedOwner(facts, node)) return false;
  if (isControlPlane(node)) return isOwnMember(facts, node);
  return claim.at === 'own' || (claim.at === 'unknown' && isAbsent && wasIts(machine, node));
}

/**
 * The VM that is gone was the Machine's by our record on it, and the Node was that VM's by its own id, or by our record. That on the
 * Node is no more than a name, which any Machine made anew may have (hack/decisions/0028 T22).
 */
const wasIts = (machine: Machine, node: Node): boolean =>
  confirmedAt(machine) !== undefined && (Boolean(node.spec?.providerID) || recordedOwner(node, machine) === 'this');

/**
 * Whether the other Machine that is recorded on the Node stands against this one: where the mark says that the VM is this one's,
 * only if the other was confirmed to have the VM of the Node as well, for a kubelet may write any name on its Node.
 */
function isOfRecordedOwner({ claim, named, isSameVm }: NodeFacts, { spec, ...node }: Node): boolean {
  const other = named(recordedKey(node) ?? '');
  if (other === undefined || other === 'unseen') return other === 'unseen';
  if (claim.at !== 'own' || !claim.marked) return true;
  return confirmedAt(other) !== undefined && isSameVm(other.spec?.providerID ?? '', spec?.providerID ?? '');
}

/**
 * A member of a control plane is the Machine's by the mark on the VM, in the very words of its id; or by our record, which
 * somebody made by hand: this account never makes it there first (0038). When the VM is gone, only by records on both.
 */
function isOwnMember({ machine, claim, isAbsent }: NodeFacts, node: Node): boolean {
  if (recordedOwner(node, machine) === 'this')
    return claim.at === 'own' || (claim.at === 'unknown' && isAbsent && wasIts(machine, node));
  return claim.at === 'own' && claim.marked && node.spec?.providerID === machine.spec?.providerID;
}

/** Another VM's Node that was there before the Machine, and stays: the new VM's Node cannot take its place (hack/spec/mcm.md 6.4). */
export const isStale = (machine: Machine, node: Node): boolean =>
  Boolean(node.spec?.providerID) && isOlder(node, machine) && !node.metadata.deletionTimestamp;

/**
 * Why a Node without a providerID is not the Machine's, naming nobody else; undefined when it is. Our record on it decides;
 * without one it is that of the Machine for whose VM the driver has named it, if no other Machine has it that comes before, and it
 * was not there before; an address of the VM, or its Machine's name on it, counts for more than two clusters' clocks. Before the
 * driver has spoken the label is believed. Where namespaces share the cluster a name says less:
 * anybody may have a VM of it, and wait for the Node (hack/decisions/0043).
 */
export function whyNotIts(facts: NodeFacts, node: Node): string | undefined {
  const { machine, reported } = facts;
  const recorded = recordedOwner(node, machine);
  if (recorded !== 'none') return recorded === 'this' ? undefined : 'it is recorded as that of another machine';
  if (reported && reported.nodeName !== node.metadata.name)
    return `its driver names the VM’s Node "${reported.nodeName}"`;
  if (isFromBefore(node, machine) && proofOf(reported, node) !== 'for') return 'it was there before the machine';
  return facts.isShared ? (whyNotProven(reported, node) ?? whyNotFirst(facts, node)) : whyNotFirst(facts, node);
}

/** Whose driver tells addresses of the VM has the Node that reports one of them. */
function whyNotProven(reported: ReportedVm | undefined, node: Node): string | undefined {
  const judged = proofOf(reported, node);
  if (judged === 'none') return 'it reports no address yet, by which it is known for that of the VM';
  return judged === 'against' ? 'it reports no address that the VM has' : undefined;
}

function whyNotFirst({ machine, namesakes, isShared, reportedOf }: NodeFacts, node: Node): string | undefined {
  const isRival = ({ metadata: { uid = '' } }: Machine) =>
    uid !== machine.metadata.uid && !(isShared && proofOf(reportedOf(uid), node) === 'against');
  const rivals = namesakes.filter(isRival);
  const isStranger = (one: Machine) =>
    one.metadata.namespace !== machine.metadata.namespace && confirmedAt(one) !== undefined;
  if (rivals.some(isStranger)) return `machines of several namespaces have it, ${adviceOn(machine, node)}`;
  return rivals.every((one) => isBefore(machine, one)) ? undefined : 'another machine comes before';
}

/** What the Node's addresses say of the VM; undefined where the driver tells none, or has not spoken. */
function proofOf(reported: ReportedVm | undefined, node: Node): 'for' | 'against' | 'none' | undefined {
  const ofVm = new Set(addressesIn(reported?.addresses));
  if (ofVm.size === 0) return undefined;
  const its = addressesIn(node.status?.addresses);
  if (its.length === 0) return 'none';
  return its.some((address) => ofVm.has(address)) ? 'for' : 'against';
}

/** IP addresses, each in one way to write it; names are no proof. */
const addressesIn = (all: ReadonlyArray<{ address: string }> = []): string[] =>
  all.map(({ address }) => address).flatMap((text) => (isIP(text) === 0 ? [] : [canonicalIp(text)]));

const canonicalIp = (text: string): string =>
  isIP(text) === 6 && !text.includes('%') ? new URL(`http://[${text}]`).hostname : text;

function adviceOn({ metadata: { name, namespace } }: Machine, { metadata }: Node): string {
  const record = `${ANNOTATION_NODE_MACHINE}=${name} ${ANNOTATION_NODE_NAMESPACE}=${namespace}`;
  return `and nothing says whose it is: if it is this one’s, say so by hand: kubectl annotate node ${metadata.name} ${record}`;
}
