import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { FINALIZER, LABEL_FORCE_DRAIN, LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Cloud } from './cloud.ts';
import type { CallMethod } from './driver.ts';
import type { Stage } from './stage.ts';
import type { User } from './user.ts';

const PREFIX = 'thief-';
/** A taint that a thief asks for; it must show on no Node. */
const TAINT = { key: 'thief', effect: 'NoExecute' };

/** The Machine names the VM and the Node of another. */
export const isThief = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean => metadata.name.startsWith(PREFIX);

/** Somebody makes a Machine that names what is another's, and wants it changed and gone by force. */
export function stealVm({ user, chance }: Stage): void {
  const owners = user.all('machines').filter((one) => one.spec?.providerID && !isThief(one));
  if (owners.length === 0) return;
  const { metadata, spec } = chance.oneOf(owners);
  const labels = { [LABEL_NODE]: metadata.labels?.[LABEL_NODE] ?? metadata.name, [LABEL_FORCE_DRAIN]: 'True' };
  const name = `${PREFIX}${metadata.name}`;
  user.make('machines', {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'Machine',
    metadata: { name, labels, finalizers: [FINALIZER] },
    spec: { class: spec?.class, providerID: spec?.providerID, nodeTemplate: { spec: { taints: [TAINT] } } },
  });
}

/** All thieves are told to go. */
export function chaseThieves(user: User): void {
  for (const machine of user.all('machines').filter(isThief))
    if (!machine.metadata.deletionTimestamp) user.delete('machines', machine.metadata.name);
}

/** What a call does that a thief may not; undefined when it may be made: one that asks, or about a VM that is gone. */
export function theftIn(method: CallMethod, { machine }: MachineRequest, cloud: Cloud): string | undefined {
  const vm = cloud.vms.get(machine.spec?.providerID ?? '');
  if (!isThief(machine) || method === 'getMachineStatus' || !vm) return undefined;
  return `${method} of ${machine.metadata.name}, which names ${vm.providerID} of ${vm.machine}`;
}

/** Whether a Node shows what a thief asks for. */
export const isRobbed = (node: KubeObject): boolean =>
  (node as Node).spec?.taints?.some(({ key }) => key === TAINT.key) ?? false;

/** A thief that is still there when all have been told to go. */
export const thiefLeft = (all: readonly Machine[]): string | undefined => {
  const left = all.find(isThief);
  return left && `${left.metadata.name} does not go`;
};
