import { LABEL_FORCE_DELETION } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isGoTrue } from '../../drain/flow/plan.ts';
import { confirmedAt } from '../../model/machine.ts';
import type { MachineView, NodeFact } from './view.ts';

/** The Machine is to go without regard (MCM 2.3). */
export const isForced = ({ metadata }: Machine): boolean => isGoTrue(metadata.labels?.[LABEL_FORCE_DELETION]);

/**
 * The first annotation by which somebody holds the Machine before this part of its deletion; undefined when nobody does.
 * A Machine that is deleted by force waits for nobody.
 */
export function hookOf(machine: Machine, prefix: string): string | undefined {
  if (isForced(machine)) return undefined;
  return Object.keys(machine.metadata.annotations ?? {})
    .toSorted()
    .find((key) => key.startsWith(prefix));
}

/** Somebody has excluded the Machine from a part of its deletion by this annotation; whatever its value, as in Cluster API. */
export const isExcluded = ({ metadata }: Machine, key: string): boolean =>
  Object.hasOwn(metadata.annotations ?? {}, key);

const JOINED_PHASES: ReadonlySet<string> = new Set([
  'Running',
  'Available',
  'Unknown',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
]);

/** Operations whose failure came after the machine was Running. */
const LATE_FAILURES: ReadonlySet<string> = new Set(['HealthCheck', 'InPlaceUpdate']);

/** The Machine was Running once: what follows is a matter of health, no longer of creation. */
export function hasJoined({ machine: { status } }: Pick<MachineView, 'machine'>): boolean {
  const phase = status?.currentStatus?.phase ?? '';
  return JOINED_PHASES.has(phase) || (phase === 'Failed' && LATE_FAILURES.has(status?.lastOperation?.type ?? ''));
}

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

/** Reasons of `fail` that end a Machine: it is replaced, never mended (MCM 6.4b, 6.5 D). */
export const FATAL: ReadonlySet<string> = new Set([
  'VmVanished',
  'CreationTimedOut',
  'NodeNameTaken',
  'JoinTimedOut',
  'HealthTimedOut',
  'InPlaceUpdateGivenUp',
]);
