import type { Machine } from '../../../schemas/machine.ts';
import type { Driver } from './driver.ts';

/**
 * What stands behind the last slash of a providerID, whatever its case; all of an id that has nothing there. Ids with other
 * ends are never one VM's. The same end alone says little: a name is one VM's within its project or zone (hack/decisions/0043).
 */
export function endOf(providerID: string): string {
  const end = providerID.slice(providerID.lastIndexOf('/') + 1);
  return (end || providerID).toLowerCase();
}

/** The end of the id of the VM that a Machine names, as an index: none before it is known. */
export const vmEndsOf = ({ spec }: Machine): string[] => (spec?.providerID ? [endOf(spec.providerID)] : []);

/** Whether two ids denote one VM. */
export type SameVm = (one: string, other: string) => boolean;

/** In the same words, or because one of the drivers says so of two ways to write it (driver.ts, isSameVm). */
export function sameVmBy(drivers: Iterable<Pick<Driver, 'isSameVm'>>): SameVm {
  const judges = [...drivers].filter(({ isSameVm }) => isSameVm !== undefined);
  return (one, other) =>
    one === other || (endOf(one) === endOf(other) && judges.some((driver) => isSameBy(driver, one, other)));
}

/** In one order, so that a driver cannot say this of the one and that of the other. */
const isSameBy = ({ isSameVm }: Pick<Driver, 'isSameVm'>, one: string, other: string): boolean =>
  isSameVm !== undefined && (one < other ? isSameVm(one, other) : isSameVm(other, one));
