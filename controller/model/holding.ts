import { FINALIZER, LABEL_UPDATE_RESULT } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { type Outcome, pass, wait } from '../flow/flow.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';

/** How many machines the set wants. */
export const replicasOf = ({ spec }: MachineSet): number => spec?.replicas ?? 0;

/** A Machine that counts towards the replicas: nobody has decided yet that it goes. */
export const isLive = ({ metadata, status }: Machine): boolean =>
  !metadata.deletionTimestamp && status?.currentStatus?.phase !== 'Terminating';

/**
 * Nothing is left of the Machine, or set, but the object, which the finalizer of somebody else keeps: ours goes last, when VM and Node are
 * gone (hack/decisions/0051 S36).
 */
export const isOnlyKept = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(FINALIZER);

/** A Machine holds no VM once it is only kept, or was given up because the driver says that no VM is left, also while it leaves. */
export function mayHoldVm(machine: Machine): boolean {
  if (isOnlyKept(machine)) return false;
  const { metadata, status } = machine;
  const hasFailed = status?.currentStatus?.phase === 'Failed' && status.errorReason === LOST;
  return !hasFailed && !(metadata.deletionTimestamp && status?.failureReason === LOST);
}

const LOST = 'VmVanished';

/** It has been updated in place, and is on its way to the set of its new template. */
export const isArriving = ({ metadata }: Machine): boolean => metadata.labels?.[LABEL_UPDATE_RESULT] === 'successful';

/**
 * How much of a deployment's replicas + maxSurge a set takes: what it has, or has yet to make, and beside that what is on
 * its way out and still holds a VM. Quota and addresses are what runs out (decisions 3, MCM 13.12).
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
  { one, leaving }: { one: string; leaving: R },
): Outcome<never, R | 'DeletionRefused'> {
  const left = children.filter((child) => !isOnlyKept(child));
  const going = left.filter(({ metadata }) => metadata.deletionTimestamp).length;
  const refused = left.length - going;
  if (refused > 0) {
    const rest = going > 0 ? `, ${going} leave` : '';
    return wait('DeletionRefused', Infinity, `${countOf(refused, one)} may not be deleted${rest}`);
  }
  return going > 0 ? wait(leaving, Infinity, `${countOf(going, one)} on the way out`) : pass;
}

const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
