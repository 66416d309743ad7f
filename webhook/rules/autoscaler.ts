import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { BOUND_KEYS, boundOf } from '../../schemas/rules/autoscaler.ts';
import { makerOf } from '../admission/maker.ts';
import type { Rule } from '../admission/rule.ts';
import type { Breach } from '../providers/breach.ts';
import type { Templated } from './places.ts';

const ANNOTATIONS = 'metadata.annotations';
const reads = BOUND_KEYS.flatMap(({ min, max }) => [`${ANNOTATIONS}[${min}]`, `${ANNOTATIONS}[${max}]`]);

/** For sets and deployments: what a cluster-autoscaler could not read, or not obey (CKV E3.9). */
export const autoscalerBounds: Rule<KubeObject> = {
  id: 'autoscaler-bounds',
  on: ['create', 'update'],
  field: ANNOTATIONS,
  reads,
  copied: true,
  says: 'must have bounds for the cluster-autoscaler that are whole numbers from 0 on, the smaller one first',
  broken: ({ metadata }) => BOUND_KEYS.flatMap((keys) => boundBreaches(metadata.annotations ?? {}, keys)),
};

type Keys = (typeof BOUND_KEYS)[number];

function boundBreaches(annotations: Readonly<Record<string, string>>, { min, max }: Keys): Breach[] {
  const unreadable = [min, max]
    .filter((key) => annotations[key] !== undefined && boundOf(annotations[key]) === undefined)
    .map((key) => ({ at: `[${key}]`, says: 'must be a whole number from 0 on, such as "3"' }));
  const { least, most } = boundsIn(annotations, { min, max });
  if (least === undefined || most === undefined || least <= most) return unreadable;
  return [{ at: `[${min}]`, says: `is ${least}, more than the ${most} of ${max}; swap them or mend one` }];
}

/** Of a set that a deployment keeps, the deployment's replicas are what is bounded. */
export const replicasInBounds: Rule<Templated> = {
  id: 'replicas-in-bounds',
  on: ['create', 'update'],
  field: 'spec.replicas',
  reads: ['spec.replicas', ...reads],
  level: 'warn',
  says: "should be within the cluster-autoscaler's bounds",
  broken: (now, _before, facts) => (makerOf(now, facts) ? [] : BOUND_KEYS.flatMap((keys) => outside(now, keys))),
};

/** A most of 0 takes the object out of the autoscaler's hands; of bounds the wrong way round the other rule speaks. */
function outside({ metadata, spec }: Templated, keys: Keys): Breach[] {
  const { least, most } = boundsIn(metadata.annotations ?? {}, keys);
  const replicas = spec.replicas ?? 0;
  if (least === undefined || most === undefined || most === 0 || least > most) return [];
  if (replicas >= least && replicas <= most) return [];
  return [
    {
      says: `is ${replicas}, outside the ${least} to ${most} that the annotations allow a cluster-autoscaler, which may change it back`,
    },
  ];
}

const boundsIn = (annotations: Readonly<Record<string, string>>, { min, max }: Keys) => ({
  least: boundOf(annotations[min] ?? ''),
  most: boundOf(annotations[max] ?? ''),
});
