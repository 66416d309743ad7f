import { ANNOTATION_PAUSED, ANNOTATION_PAUSED_ADMIN, ANNOTATION_PAUSED_DEVOPS } from '../../schemas/keys.ts';
import { type Outcome, pass, wait } from '../flow/flow.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';

/** Who paused an object, in VM Operator's words: `devops` are its authors, `admin` those who run Drover. */
export type Pauser = 'devops' | 'admin' | 'both';

/** Annotations that pause an object, whatever their value. */
const DEVOPS = [ANNOTATION_PAUSED, ANNOTATION_PAUSED_DEVOPS];
const PAUSES = [...DEVOPS, ANNOTATION_PAUSED_ADMIN];

/** Nothing is done for an object that is paused, its deletion included; its status is still told (Cluster API's rule). */
export function unpaused(object: KubeObject): Outcome<never, 'Paused'> {
  const keys = PAUSES.filter((key) => carries(object, key));
  if (keys.length === 0) return pass;
  const by = `the annotation ${keys.join(' and ')}`;
  return wait('Paused', Infinity, `${by} holds it: nothing is done for it, its deletion included`);
}

/** The object carries an annotation that pauses it. */
export const isPaused = (object: KubeObject): boolean => PAUSES.some((key) => carries(object, key));

/** Who paused it, in the words of the label; undefined when it is not paused. @param cluster its Cluster is paused, which counts as devops */
export function pauserOf(object: KubeObject, cluster: boolean): Pauser | undefined {
  const devops = cluster || DEVOPS.some((key) => carries(object, key));
  if (!carries(object, ANNOTATION_PAUSED_ADMIN)) return devops ? 'devops' : undefined;
  return devops ? 'both' : 'admin';
}

const carries = ({ metadata }: KubeObject, key: string): boolean => metadata.annotations?.[key] !== undefined;
