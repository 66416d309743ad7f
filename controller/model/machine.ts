import {
  ANNOTATION_CONFIRMED,
  ANNOTATION_MARKED,
  ANNOTATION_PREFER_NO_SCHEDULE,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRESERVE_APPLIED,
  ANNOTATION_PRIORITY,
  LABEL_UPDATE_RESULT,
} from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { isOnlyKept, knownPreserve, type PreserveValue } from '../../schemas/rules/machine.ts';
import { timeOf } from '../../schemas/rules/time.ts';
import { type Outcome, pass, wait } from '../flow/flow.ts';
import type { Node } from '../runtime/k8s/core.ts';
import { controllerOf, type KubeObject, timestamp } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { byOwner, childrenIn, siblingsIn } from './ownership.ts';
import { phaseOf, phaseRow } from './phases.ts';

/** Milliseconds until the Machine counts as available: 0 now, Infinity while it is not ready (hack/decisions/0054). */
export function availableIn(set: MachineSet, { status, metadata }: Machine, now: number): number {
  const phase = phaseOf({ status });
  if (metadata.deletionTimestamp || (phase !== 'Running' && phase !== 'Available')) return Infinity;
  const { minReadySeconds, minReadySecondsPolicy } = set.spec ?? {};
  const waitMs = minReadySecondsPolicy === 'Honor' ? (minReadySeconds ?? 0) * 1000 : 0;
  if (waitMs === 0) return 0;
  const since = Date.parse(status?.currentStatus?.lastUpdateTime ?? '') || now;
  return Math.max(0, since + waitMs - now);
}

/** The value that applies: the Node's once it has had one, else the Machine's; undefined if the Node's is not a valid one. */
export function preserveValue({ metadata }: Machine, node: Node | undefined): PreserveValue | undefined {
  if (node && nodeDecides(metadata.annotations, node))
    return knownPreserve(node.metadata.annotations?.[ANNOTATION_PRESERVE]);
  return knownPreserve(metadata.annotations?.[ANNOTATION_PRESERVE]) ?? '';
}

/** The Node's annotation is in control: it is there, or it was there when it was last looked at. */
export const nodeDecides = (ofMachine: Record<string, string> | undefined, { metadata }: Node): boolean =>
  Boolean(metadata.annotations?.[ANNOTATION_PRESERVE] || ofMachine?.[ANNOTATION_PRESERVE_APPLIED]);

/** When the Machine's preservation ends, milliseconds since the epoch; NaN when it is not preserved. */
export const expiryOf = ({ status }: Machine): number => Date.parse(status?.currentStatus?.preserveExpiryTime ?? '');

/** Failed, and kept to be looked at: it counts as a replica, and nothing takes its place (hack/spec/mcm.md 6.12). */
export const isPreservedFailed = (machine: Machine, now: number): boolean =>
  phaseOf(machine) === 'Failed' && expiryOf(machine) > now;

/** A scaler wanted this machine to be gone when it last scaled, or before (hack/spec/mcm.md 4.11, 5.4): it goes, whatever the number. */
export function isVictim({ metadata }: Machine, until: number): boolean {
  const { [ANNOTATION_PRIORITY]: priority, [ANNOTATION_MARKED]: marked } = metadata.annotations ?? {};
  return priority === '1' && timeOf(marked) <= until;
}

/**
 * When the VM that the Machine names was confirmed to be its own, milliseconds. A record that a backup brought is of another
 * UID, and none; nor is one of another VM.
 */
export function confirmedAt({ metadata, spec }: Machine): number | undefined {
  const [uid, at = '', vm] = metadata.annotations?.[ANNOTATION_CONFIRMED]?.split(' ') ?? [];
  const ms = Date.parse(at);
  const isIts = uid && uid === metadata.uid && vm === spec?.providerID;
  return isIts && !Number.isNaN(ms) ? ms : undefined;
}

/** The record that this VM is the Machine's. */
export const confirmation = ({ metadata }: Machine, providerID: string, now: number): Record<string, string> => ({
  [ANNOTATION_CONFIRMED]: `${metadata.uid} ${timestamp(now)} ${providerID}`,
});

/** Of two that were both confirmed to have the VM the earlier one comes first, else the confirmed one; if neither was, none. */
export function isBefore(machine: Machine, rival: Machine): boolean {
  const [own, its] = [confirmedAt(machine), confirmedAt(rival)];
  if (own === undefined || its === undefined) return own !== undefined;
  return own === its ? (machine.metadata.uid ?? '') < (rival.metadata.uid ?? '') : own < its;
}

/** The owners of a machine that does not stand, as an index: of a large herd only few are in the way of the others. */
export const busyByOwner = (machine: Machine): readonly string[] =>
  stands(machine) || isOnlyKept(machine) ? [] : byOwner(machine);

/** It has come up and does not leave. */
export const stands = (machine: Machine): boolean =>
  !machine.metadata.deletionTimestamp && phaseRow(machine).stands === true;

/** In a deployment with more sets they are not searched for each machine (hack/decisions/0028 T65). */
const MOST_SETS = 100;

/**
 * Whether other machines of the Machine's deployment are being rolled: one of its other sets is marked as a set whose Nodes are
 * prepared for that, which its deployment does once they are, and still has machines.
 * @param sources sets and machines with the index `owner`
 */
export function isRolledBeside(
  { sets, machines }: { sets: Cache<MachineSet>; machines: Pick<Cache<Machine>, 'by'> },
  machine: Machine,
): boolean {
  const owner = controllerOf(machine);
  const own = owner && sets.get(`${machine.metadata.namespace}/${owner.name}`);
  const all = own && own.metadata.uid === owner.uid ? siblingsIn(sets, own) : [];
  if (all.length > MOST_SETS) return false;
  return all.some((set) => set !== own && isMarked(set) && childrenIn(machines, set).some((one) => !isOnlyKept(one)));
}

const isMarked = ({ metadata }: MachineSet): boolean =>
  metadata.annotations?.[ANNOTATION_PREFER_NO_SCHEDULE] !== undefined;

/** How many machines the set wants. */
export const replicasOf = ({ spec }: MachineSet): number => spec?.replicas ?? 0;

/** A Machine that counts towards the replicas: its deletion has not been decided yet. */
export const isLive = ({ metadata, status }: Machine): boolean =>
  !metadata.deletionTimestamp && phaseOf({ status }) !== 'Terminating';

/** An index of what Machines have: one that is only kept has let go of it, and others may have it by now (hack/decisions/0051 L106). */
export const unlessOnlyKept =
  (index: (machine: Machine) => string[]) =>
  (machine: Machine): string[] =>
    isOnlyKept(machine) ? [] : index(machine);

/** A Machine holds no VM once it is only kept, or was given up because the driver says that no VM is left, also while it leaves. */
export function mayHoldVm(machine: Machine): boolean {
  if (isOnlyKept(machine)) return false;
  const { metadata, status } = machine;
  const hasFailed = phaseOf({ status }) === 'Failed' && status?.errorReason === LOST;
  return !hasFailed && !(metadata.deletionTimestamp && status?.failureReason === LOST);
}

const LOST = 'VMNotFound';

/** It has been updated in place, and is on its way to the set of its new template. */
export const isArriving = ({ metadata }: Machine): boolean => metadata.labels?.[LABEL_UPDATE_RESULT] === 'successful';

/**
 * How much of a deployment's replicas + maxSurge a set takes: what it has, or has yet to make, and beside that what is on
 * its way out and still holds a VM. Quota and addresses are what runs out (hack/decisions/0000 3, hack/spec/mcm.md 13.12).
 * @param births machines that it asked for and that are not among these yet
 */
export function takenBy(replicas: number, machines: readonly Machine[], births = 0): number {
  const holding = machines.filter(mayHoldVm);
  const live = holding.filter(isLive).length;
  return Math.max(replicas, live + births) + holding.length - live;
}

/**
 * What an owner that is deleted waits for once it has asked for the deletion of whom it may: children that leave, and such as may
 * not be deleted (hack/decisions/0051 S27). One that somebody else keeps when nothing is left of it is not waited for (S37).
 * @param of one of the children, and the reason while all of them leave
 */
export function childrenLeft<R extends string>(
  children: readonly KubeObject[],
  { one, terminating }: { one: string; terminating: R },
): Outcome<never, R | 'DeletionRefused'> {
  const left = children.filter((child) => !isOnlyKept(child));
  const going = left.filter(({ metadata }) => metadata.deletionTimestamp).length;
  const refused = left.length - going;
  if (refused > 0) {
    const rest = going > 0 ? `, ${going} leave` : '';
    return wait('DeletionRefused', Infinity, `${countOf(refused, one)} may not be deleted${rest}`);
  }
  return going > 0 ? wait(terminating, Infinity, `${countOf(going, one)} on the way out`) : pass;
}

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
