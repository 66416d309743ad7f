import type { MachineView, NodeFact } from './view.ts';

/** How long a VM must be missing before it counts as gone. */
export const VANISHED_MS = 10_000;

/** The Node is there and well. */
export const isReady = (node: NodeFact): boolean => node.at === 'present' && node.ready;

/**
 * One word of a driver is not enough to give up a machine: lists of clouds lag behind. It must be said again a while
 * later, and while the Node is Ready it is not believed at all.
 */
export const hasVanished = ({ vm, calls, node }: MachineView): boolean => !isReady(node) && isMissing({ vm, calls });

/** The driver has said again a while later that there is no VM. */
export const isMissing = ({ vm, calls }: Pick<MachineView, 'vm' | 'calls'>): boolean =>
  vm.at === 'absent' && (calls.askedAt ?? 0) - vm.since >= VANISHED_MS;

/** What another process found out holds until the driver or the Node says otherwise. */
export const wasLost = ({ vm, machine, node }: MachineView): boolean =>
  machine.status?.errorReason === 'VmVanished' && vm.at !== 'present' && !isReady(node);

/** What is said of a machine whose VM is gone. */
export const lossOf = ({ machine }: MachineView): string => `the driver no longer knows ${machine.spec?.providerID}`;
