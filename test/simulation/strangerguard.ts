import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Cloud, Vm, VmEvent } from './cloud.ts';
import type { Findings } from './finding.ts';
import type { Server } from './server.ts';
import type { Stranger } from './strangers.ts';

/** What the guard of strangers watches. */
export interface StrangerGuardParts {
  cloud: Cloud;
  control: Server;
  findings: Findings;
}

/** Strangers that nobody here may ever delete, and why. */
const UNTOUCHABLE: Partial<Record<Stranger, string>> = {
  foreign: 'is of another installation',
  nameless: 'is of nobody knows which installation',
  ageless: 'is of nobody knows which age',
  retained: 'was left on purpose',
};

/** The VM is one that stays where it is. */
export const isUntouchable = ({ stranger }: Pick<Vm, 'stranger'>): boolean =>
  stranger !== undefined && stranger in UNTOUCHABLE;

/** Finds strangers that are deleted, or taken for a machine's own VM, and must not be. */
export function guardStrangers({ cloud, control, findings }: StrangerGuardParts): void {
  cloud.onEvent(({ type, vm }: VmEvent) => {
    const why = vm.retained ? UNTOUCHABLE.retained : vm.stranger && UNTOUCHABLE[vm.stranger];
    if (type === 'deleted' && why)
      findings.add('no VM of others is touched', `${vm.providerID} is deleted, which ${why}`);
  });
  control.api.store.onWrite(({ resource, after }) => {
    if (resource !== 'machine.sapcloud.io/machines' || !after) return;
    const machine = after as Machine;
    const vm = cloud.vms.get(machine.spec?.providerID ?? '');
    if (vm?.stranger === 'foreign')
      findings.add('no VM of others is touched', `${keyOf(machine)} takes ${vm.providerID} for its own`);
  });
}
