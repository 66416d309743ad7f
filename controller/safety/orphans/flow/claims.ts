import type { Machine } from '../../../../schemas/machine.ts';
import type { MachineClass } from '../../../../schemas/machineclass.ts';
import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import { endOf } from '../../../drivers/sdk/vmidentity.ts';
import { isOnlyKept } from '../../../model/holding.ts';
import { confirmedAt } from '../../../model/vmconfirmed.ts';
import type { Claims } from './view.ts';

/** What is known of Machines beside what stands in them. */
export interface Beside {
  /** A call that makes the VM of the Machine with this UID is in flight. */
  isCreating(uid: string): boolean;
  /** A Machine of this namespace that has gone left this VM on purpose. */
  wasRetained(namespace: string, providerID: string): boolean;
}

/** The namespace of those whose words count for a VM: that of its mark, without a mark that of the class whose list shows it. */
export const namespaceOf = ({ owner }: Pick<ListedVm, 'owner'>, { metadata }: Pick<MachineClass, 'metadata'>): string =>
  owner?.namespace || (metadata.namespace ?? '');

/**
 * What these Machines say of VMs that a list of this class shows. Anybody may name a VM in a namespace of his own: there a
 * Machine spares no marked VM, and one without a mark only if it has it, or is making one (hack/decisions/0043). One that only the
 * finalizer of somebody else keeps has let go of its VM, and spares none (hack/decisions/0051 S38).
 */
export function claimsOf(
  machines: readonly Machine[],
  machineClass: Pick<MachineClass, 'metadata'>,
  beside: Beside,
): Claims {
  const holding = machines.filter((machine) => !isOnlyKept(machine));
  const isCreating = ({ metadata }: Machine) => beside.isCreating(metadata.uid ?? '');
  const naming = grouped(holding, ({ spec }) => (spec?.providerID ? endOf(spec.providerID) : undefined));
  const making = grouped(
    holding.filter((one) => !one.spec?.providerID || isCreating(one)),
    ({ metadata }) => metadata.name,
  );
  const isNear = (vm: ListedVm, { metadata }: Machine) => metadata.namespace === namespaceOf(vm, machineClass);
  const mayCount = (vm: ListedVm) => !vm.owner?.namespace;
  const has = (vm: ListedVm, one: Machine) => one.spec?.providerID === vm.providerID && confirmedAt(one) !== undefined;
  return {
    named: (vm) =>
      (naming.get(endOf(vm.providerID)) ?? []).some((one) => isNear(vm, one) || (mayCount(vm) && has(vm, one))),
    pending: (vm) =>
      (making.get(vm.machineName) ?? []).some((one) => isNear(vm, one) || (mayCount(vm) && isCreating(one))),
    retained: (vm) => beside.wasRetained(namespaceOf(vm, machineClass), vm.providerID),
  };
}

function grouped(
  machines: readonly Machine[],
  keyOf: (machine: Machine) => string | undefined,
): Map<string, Machine[]> {
  const groups = new Map<string, Machine[]>();
  for (const machine of machines) {
    const key = keyOf(machine);
    const group = key === undefined ? undefined : groups.get(key);
    if (group) group.push(machine);
    else if (key !== undefined) groups.set(key, [machine]);
  }
  return groups;
}
