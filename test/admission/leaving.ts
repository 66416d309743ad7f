import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { joinedCluster } from '../../schemas/rules/cluster.ts';
import { parsePath, valueAt } from '../../webhook/admission/fieldpath.ts';
import { heldFinalizer, machineClaims, protectedKeys } from '../../webhook/admission/protectedkeys.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import type { AdmissionCase, CaseTable } from './case.ts';

/** By which an object that is being deleted is refused still: privilege, and rules that always hold. */
export const HELD: ReadonlySet<string> = new Set([
  ...[...protectedKeys, ...machineClaims, heldFinalizer].map(({ id }) => id),
  ...tables.flatMap(({ rules }) => rules.filter(({ always }) => always).map(({ id }) => id)),
]);

/** What keys may stand in, and claims. */
const PLACES = tables
  .flatMap(({ guarded }) => guarded)
  .flatMap((place) => [`${place}.labels`, `${place}.annotations`])
  .concat('spec.providerID', 'metadata.finalizers')
  .map(parsePath);

/**
 * Each update of labels, annotations or a claim once more, of the object while it is being deleted, which a finalizer
 * holds: what is refused for want of privilege, or for the cluster's sake, is refused all the same (hack/decisions/0028 W2).
 */
export const whileLeaving = <T extends KubeObject>({ kind, cases }: CaseTable<T>): CaseTable<T> => ({
  kind,
  cases: [...cases, ...cases.filter(isOfKeys).map(leavingCase)],
});

const isOfKeys = ({ now, before, deleted }: AdmissionCase): boolean =>
  before !== undefined && !deleted && PLACES.some((path) => !Bun.deepEquals(valueAt(now, path), valueAt(before, path)));

const leavingCase = <T extends KubeObject>({ what, now, before, refused, warned, ...rest }: AdmissionCase<T>) => ({
  ...rest,
  what: `${what}, while it is being deleted`,
  now: leaving(now),
  ...(before && { before: leaving(before) }),
  refused: [
    ...(joinedCluster(now.metadata.labels, before?.metadata.labels) ? ['cluster-before-end'] : []),
    ...refused.filter((id) => HELD.has(id)),
  ],
});

const leaving = <T extends KubeObject>(object: T): T => ({
  ...object,
  metadata: {
    ...object.metadata,
    finalizers: [...(object.metadata.finalizers ?? []), 'example.io/hold'],
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
  },
});
