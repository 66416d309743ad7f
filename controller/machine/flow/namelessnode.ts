import { isIP } from 'node:net';
import { ANNOTATION_NODE_MACHINE, ANNOTATION_NODE_NAMESPACE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { confirmedAt, isBefore } from '../../model/vmconfirmed.ts';
import { isFromBefore, recordedOwner } from '../../nodes/owner.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { NodeFacts } from './nodeidentity.ts';
import type { Told } from './vmclaim.ts';

/**
 * Why a Node without a providerID is not the Machine's, naming nobody else; undefined when it is. Our record on it decides;
 * without one it is that of the Machine for whose VM the driver has named it, if no other Machine has it that comes before, and it
 * was not there before; an address of the VM, or its Machine's name on it, counts for more than two clusters' clocks. Before the
 * driver has spoken the label is believed. Where namespaces share the cluster a name says less:
 * anybody may have a VM of it, and wait for the Node (hack/decisions/0043).
 */
export function whyNotIts(facts: NodeFacts, node: Node): string | undefined {
  const { machine, told } = facts;
  const recorded = recordedOwner(node, machine);
  if (recorded !== 'none') return recorded === 'this' ? undefined : 'it is recorded as that of another machine';
  if (told && told.nodeName !== node.metadata.name) return `its driver names the VM’s Node "${told.nodeName}"`;
  if (isFromBefore(node, machine) && proofOf(told, node) !== 'for') return 'it was there before the machine';
  return facts.isShared ? (whyNotProven(told, node) ?? whyNotFirst(facts, node)) : whyNotFirst(facts, node);
}

/** Whose driver tells addresses of the VM has the Node that reports one of them. */
function whyNotProven(told: Told | undefined, node: Node): string | undefined {
  const judged = proofOf(told, node);
  if (judged === 'none') return 'it reports no address yet, by which it is known for that of the VM';
  return judged === 'against' ? 'it reports no address that the VM has' : undefined;
}

function whyNotFirst({ machine, namesakes, isShared, toldOf }: NodeFacts, node: Node): string | undefined {
  const isRival = ({ metadata: { uid = '' } }: Machine) =>
    uid !== machine.metadata.uid && !(isShared && proofOf(toldOf(uid), node) === 'against');
  const rivals = namesakes.filter(isRival);
  const isStranger = (one: Machine) =>
    one.metadata.namespace !== machine.metadata.namespace && confirmedAt(one) !== undefined;
  if (rivals.some(isStranger)) return `machines of several namespaces have it, ${adviceOn(machine, node)}`;
  return rivals.every((one) => isBefore(machine, one)) ? undefined : 'another machine comes before';
}

/** What the Node's addresses say of the VM; undefined where the driver tells none, or has not spoken. */
function proofOf(told: Told | undefined, node: Node): 'for' | 'against' | 'none' | undefined {
  const ofVm = new Set(addressesIn(told?.addresses));
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
