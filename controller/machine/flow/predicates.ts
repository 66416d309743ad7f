import { LABEL_FORCE_DELETION } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isGoTrue } from '../../drain/flow/plan.ts';
import { confirmedAt } from '../../model/machine.ts';
import { phaseOf, phaseRow } from '../../model/phases.ts';
import type { MachineView, NodeFact } from './view.ts';

/** The Machine is to go without regard (hack/spec/mcm.md 2.3). */
export const isForced = ({ metadata }: Machine): boolean => isGoTrue(metadata.labels?.[LABEL_FORCE_DELETION]);

/**
 * The first annotation that holds the Machine before this part of its deletion; undefined when there is none. A Machine that is deleted by
 * force waits for none.
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

/** Operations whose failure came after the machine was Running. */
const LATE_FAILURES: ReadonlySet<string> = new Set(['HealthCheck', 'InPlaceUpdate']);

/** The Machine was Running once: what follows is a matter of health, no longer of creation. */
export function hasJoined({ machine }: Pick<MachineView, 'machine'>): boolean {
  if (phaseOf(machine) === 'Failed') return LATE_FAILURES.has(machine.status?.lastOperation?.type ?? '');
  return phaseRow(machine).health !== undefined;
}

/** How long a VM must be missing before it counts as gone. */
export const VANISHED_MS = 10_000;

/** The Node is there and well. */
export const isNodeReady = (node: NodeFact): boolean => node.at === 'present' && node.ready;

/**
 * One word of a driver is not enough to give up a machine: lists of clouds lag behind. It must be said again a while
 * later, and while the Node is Ready it is not believed at all.
 */
export const hasVanished = (view: MachineView): boolean => !isNodeReady(view.node) && isMissing(view);

/**
 * There is no VM: the driver has said so twice, some time apart, and the VM is not one that the cloud may not list yet, because it is young
 * and its Node has not been seen either (hack/decisions/0057).
 */
export const isMissing = (view: MachineView): boolean => isDenied(view) && youngUntil(view) <= view.now;

/** The driver has said again a while later that there is no VM. */
export const isDenied = ({ vm, calls }: Pick<MachineView, 'vm' | 'calls'>): boolean =>
  vm.at === 'absent' && (calls.askedAt ?? 0) - vm.since >= VANISHED_MS;

/**
 * Until when the cloud may not list the VM yet, whether its Machine is being deleted or not: until its Node was seen, which alone proves to
 * every process that the VM was there, or until it is as old as a VM without a Machine must be to count as an orphan. Its record was
 * written when it was new.
 */
export const youngUntil = (
  view: Pick<MachineView, 'machine' | 'node' | 'calls' | 'limits' | 'now' | 'gate'>,
): number => (hasRegistered(view) ? 0 : Math.max(madeAt(view), view.gate.steppedAt ?? 0) + view.limits.vmYouth);

/** A record by our own clock, or another replica's, that lies so far ahead is of one that was set back, milliseconds. */
export const AHEAD_MS = 30_000;

/**
 * When the VM was made, as far as it is recorded. A recorded time that lies ahead would keep the VM young for as long: then the time of the
 * API server counts. How old a VM is that was made before the clock was set is unknown.
 */
function madeAt({ machine, now }: Pick<MachineView, 'machine' | 'now'>): number {
  const recorded = confirmedAt(machine);
  const isAhead = recorded !== undefined && recorded > now + AHEAD_MS;
  return recorded === undefined || isAhead ? Date.parse(machine.metadata.creationTimestamp ?? '') : recorded;
}

/** The Node of the VM is there, or was: by the Machine's record, or as this process has seen it (hack/decisions/0051 L119). */
const hasRegistered = ({ machine, node, calls }: Pick<MachineView, 'machine' | 'node' | 'calls'>): boolean =>
  machine.status?.nodeRef !== undefined || node.at === 'present' || calls.registered === true;

/** What another process found out holds until the driver or the Node says otherwise. */
export const wasLost = ({ vm, machine, node }: MachineView): boolean =>
  machine.status?.errorReason === 'VMNotFound' && vm.at !== 'present' && !isNodeReady(node);

/** What is said of a machine whose VM is gone. */
export const lossOf = ({ machine }: MachineView): string => `the driver no longer knows ${machine.spec?.providerID}`;

/** Reasons of `fail` that end a Machine: it is replaced, never mended (hack/spec/mcm.md 6.4b, 6.5 D). */
export const FATAL: ReadonlySet<string> = new Set([
  'VMNotFound',
  'CreationTimedOut',
  'NodeNameTaken',
  'RegistrationTimedOut',
  'HealthTimedOut',
  'InPlaceUpdateAbandoned',
]);
