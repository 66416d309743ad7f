import { ANNOTATION_ORPHAN_DELETION } from '../../schemas/keys.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { isSubdomain } from '../../schemas/selector.ts';
import type { ListedVm } from '../drivers/sdk/driver.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { recordedOn } from './owner.ts';

/** The annotation that says so, which has to be there before the VM is deleted: the Node alone is left then. */
export const deletionNote = ({ metadata }: Pick<MachineClass, 'metadata'>): Record<string, string> => ({
  [ANNOTATION_ORPHAN_DELETION]: metadata.name,
});

/**
 * An index of Nodes whose VM was to be deleted as an orphan: by the key of the class whose list showed it. Who runs a cluster writes on
 * its Nodes what he likes, a kubelet on its own: so a note counts for its own Node alone, and only beside our record, whose
 * namespace is the class's (hack/decisions/0028 T58).
 */
export const byDeletion = (node: Node): string[] => {
  const className = node.metadata.annotations?.[ANNOTATION_ORPHAN_DELETION];
  const owner = recordedOn(node);
  const isReadable = className !== undefined && isSubdomain(className) && notedVm(node) !== undefined;
  return isReadable ? [`${owner?.namespace}/${className}`] : [];
};

/** The VM of such a Node, as the VM of the Machine that is recorded on it: nothing proves that it ever was one's with any UID. */
export function notedVm(node: Node): ListedVm | undefined {
  const { providerID = '' } = node.spec ?? {};
  const owner = recordedOn(node);
  const isReadable = providerID !== '' && providerID.length <= MOST_ID && isSubdomain(node.metadata.name);
  if (!isReadable || !owner || !isSubdomain(owner.name) || !isSubdomain(owner.namespace)) return undefined;
  return { providerID, machineName: owner.name, owner };
}

/** Longer ids no cloud has: those that there are have some hundred characters. */
export const MOST_ID = 1_024;
