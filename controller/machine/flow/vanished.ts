import { confirmedAt } from '../../model/vmconfirmed.ts';
import type { MachineView, NodeFact } from './view.ts';

/** How long a VM must be missing before it counts as gone. */
export const VANISHED_MS = 10_000;

/** The Node is there and well. */
export const isReady = (node: NodeFact): boolean => node.at === 'present' && node.ready;

/**
 * One word of a driver is not enough to give up a machine: lists of clouds lag behind. It must be said again a while
 * later, and while the Node is Ready it is not believed at all.
 */
export const hasVanished = (view: MachineView): boolean => !isReady(view.node) && isMissing(view);

/**
 * There is no VM: the driver has said so again a while later, and it is none that may only not be told of yet, being young and not
 * heard of by its Node either (hack/decisions/0057).
 */
export const isMissing = (view: MachineView): boolean => isDenied(view) && youngUntil(view) <= view.now;

/** The driver has said again a while later that there is no VM. */
export const isDenied = ({ vm, calls }: Pick<MachineView, 'vm' | 'calls'>): boolean =>
  vm.at === 'absent' && (calls.askedAt ?? 0) - vm.since >= VANISHED_MS;

/**
 * Until when the VM may not be told of yet, for a Machine that lives as for one that leaves: until its Node is seen, which alone shows that it was
 * there to every process, or until it is as old as a VM without a Machine must be to count as an orphan. Its record was written when it was new.
 */
export const youngUntil = ({ machine, node, limits }: MachineView): number =>
  hasRegistered({ machine, node })
    ? 0
    : (confirmedAt(machine) ?? Date.parse(machine.metadata.creationTimestamp ?? '')) + limits.vmYouth;

/** The Node of the VM is there, or was. */
const hasRegistered = ({ machine, node }: Pick<MachineView, 'machine' | 'node'>): boolean =>
  machine.status?.nodeRef !== undefined || node.at === 'present';

/** What another process found out holds until the driver or the Node says otherwise. */
export const wasLost = ({ vm, machine, node }: MachineView): boolean =>
  machine.status?.errorReason === 'VmVanished' && vm.at !== 'present' && !isReady(node);

/** What is said of a machine whose VM is gone. */
export const lossOf = ({ machine }: MachineView): string => `the driver no longer knows ${machine.spec?.providerID}`;
