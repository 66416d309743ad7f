import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { AdmissionCase } from './case.ts';
import { usualObjects } from './facts.ts';
import { isMade, makerOf, ownedBy } from './maker.ts';

interface Copying<T extends KubeObject> {
  /** Breaks one rule, which is about what is copied. */
  broken: T;
  /** Breaks none. */
  good: T;
  rule: string;
  among?: readonly KubeObject[];
}

/**
 * hack/decisions/0028 W11: what a set or deployment copies from its stored template is warned of, and refused to everybody
 * who only says that theirs is such a copy.
 */
export function copiedCases<T extends KubeObject>(copying: Copying<T>): AdmissionCase<T>[] {
  const { broken, good, rule, among = usualObjects } = copying;
  const row = (what: string, rest: Omit<AdmissionCase<T>, 'what'>): AdmissionCase<T> => ({
    what: `${what}, against ${rule}`,
    ...rest,
  });
  const strangers = [
    row('what somebody else owns', { now: ownedBy(broken, { kind: 'ReplicaSet' }), among, refused: [rule] }),
    row('what nobody there owns', { now: ownedBy(broken), among, refused: [rule] }),
  ];
  if (!isMade(broken)) return strangers;
  const maker = makerOf(broken);
  return [
    ...strangers,
    row('what a controller copied', { now: ownedBy(broken), among: [...among, maker], refused: [], warned: [rule] }),
    row('what an owner by another UID has in its template', {
      now: ownedBy(broken, { uid: '00000000-0000-4000-8000-000000000002' }),
      among: [...among, maker],
      refused: [rule],
    }),
    row('what its owner does not have in its template', {
      now: ownedBy(broken),
      among: [...among, makerOf(good)],
      refused: [rule],
    }),
  ];
}
