import { type Outcome, pass, wait } from '../flow/flow.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { isOnlyKept } from './holding.ts';

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
