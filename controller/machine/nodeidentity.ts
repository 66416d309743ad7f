import type { Machine } from '../../schemas/machine.ts';
import type { Node } from '../runtime/core.ts';
import { vmIdentity } from '../vmidentity.ts';

/**
 * Whether a Node is that of the Machine's VM: by providerID, of which clouds write the middle in several ways (MCM 9.1: it
 * should equal the Node's), unless another Machine's is the very same. A Node that carries none is that of the Machine of
 * its name unless it was there before.
 * @param namesakes Machines whose label names the Node
 */
export function isNodeOf(machine: Machine, node: Node, namesakes: readonly Machine[]): boolean {
  const theirs = node.spec?.providerID;
  const own = machine.spec?.providerID;
  if (!theirs) return !isOlder(node, machine);
  if (!own || theirs === own) return theirs === own;
  return vmIdentity(theirs) === vmIdentity(own) && !namesakes.some(({ spec }) => spec?.providerID === theirs);
}

/** Another VM's Node that was there before the Machine, and stays: the new VM's Node cannot take its place (MCM 6.4). */
export const isStale = (machine: Machine, node: Node): boolean =>
  Boolean(node.spec?.providerID) && isOlder(node, machine) && !node.metadata.deletionTimestamp;

const isOlder = (node: Node, machine: Machine): boolean =>
  Date.parse(node.metadata.creationTimestamp ?? '') < Date.parse(machine.metadata.creationTimestamp ?? '');
