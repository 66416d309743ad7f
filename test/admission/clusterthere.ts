import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { clusterNamed, leavingCluster } from './among.ts';
import type { AdmissionCase } from './case.ts';
import { copiedCases } from './copied.ts';
import { smallClass } from './facts.ts';
import { makerOf, ownedBy } from './maker.ts';

/** Makes an object that names a Cluster, or none. */
type InCluster<T> = (cluster: string | undefined) => T;

/**
 * Whether the Cluster is there that a label names, and stays (hack/decisions/0000 4). Existing objects are not judged anew, and a
 * Machine whose Cluster is going is refused to its set as well: there it could only be made to be deleted.
 */
export function clusterThereCases<T extends KubeObject>(inCluster: InCluster<T>, idPrefix: string): AdmissionCase<T>[] {
  const noted = (made: T): T => ({ ...made, metadata: { ...made.metadata, annotations: { note: 'mine' } } });
  const without = [smallClass];
  const leaving = [smallClass, leavingCluster('west')];
  const [there, stays] = [`${idPrefix}cluster-there`, `${idPrefix}cluster-stays`];
  const where = idPrefix === '' ? '' : ', in its template';
  const row = (what: string, rest: Omit<AdmissionCase<T>, 'what'>): AdmissionCase<T> => ({
    what: what + where,
    ...rest,
  });
  return [
    row('a Cluster that is not there', { now: inCluster('west'), among: without, refused: [there] }),
    ...copiedCases({
      broken: inCluster('west'),
      good: inCluster('east'),
      rule: there,
      among: [smallClass, clusterNamed('east')],
    }),
    row('a first Cluster that is not there', {
      before: inCluster(undefined),
      now: inCluster('west'),
      among: without,
      refused: [there],
    }),
    row('an empty Cluster', { now: inCluster(''), among: without, refused: [] }),
    row('a Cluster that is long gone', {
      before: inCluster('west'),
      now: noted(inCluster('west')),
      among: without,
      refused: [],
    }),
    row('a Cluster that is being deleted', { now: inCluster('west'), among: leaving, refused: [stays] }),
    row('a Cluster that is being deleted, by a controller', {
      now: ownedBy(inCluster('west')),
      among: [...leaving, makerOf(inCluster('west'))],
      refused: [stays],
    }),
    row('the same Cluster, which is being deleted', {
      before: inCluster('west'),
      now: noted(inCluster('west')),
      among: leaving,
      refused: [],
    }),
  ];
}
