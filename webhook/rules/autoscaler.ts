import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { BOUND_KEYS, boundOf } from '../../schemas/rules/autoscaler.ts';
import { makerOf } from '../admission/maker.ts';
import type { Rule } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import type { Templated } from './places.ts';

const ANNOTATIONS = 'metadata.annotations';
const reads = BOUND_KEYS.flatMap(({ min, max }) => [`${ANNOTATIONS}[${min}]`, `${ANNOTATIONS}[${max}]`]);

/** For sets and deployments: what a cluster-autoscaler could not read, or not obey (hack/spec/cluster-api.md E3.9). */
export const autoscalerBounds: Rule<KubeObject> = {
  id: 'autoscaler-bounds',
  on: ['create', 'update'],
  field: ANNOTATIONS,
  reads,
  warnIfCopied: true,
  message: 'must have bounds for the cluster-autoscaler that are whole numbers from 0 on, the smaller one first',
  validate: ({ metadata }) => BOUND_KEYS.flatMap((keys) => boundBreaches(metadata.annotations ?? {}, keys)),
};

type Keys = (typeof BOUND_KEYS)[number];

function boundBreaches(annotations: Readonly<Record<string, string>>, { min, max }: Keys): Violation[] {
  const unreadable = [min, max]
    .filter((key) => annotations[key] !== undefined && boundOf(annotations[key]) === undefined)
    .map((key) => ({ at: `[${key}]`, message: 'must be a whole number from 0 on, such as "3"' }));
  const { least, most } = boundsIn(annotations, { min, max });
  if (least === undefined || most === undefined || least <= most) return unreadable;
  return [{ at: `[${min}]`, message: `is ${least}, more than the ${most} of ${max}; swap them or mend one` }];
}

/** Of a set that a deployment keeps, the deployment's replicas are what is bounded. */
export const replicasInBounds: Rule<Templated> = {
  id: 'replicas-in-bounds',
  on: ['create', 'update'],
  field: 'spec.replicas',
  reads: ['spec.replicas', ...reads],
  level: 'warn',
  message: "should be within the cluster-autoscaler's bounds",
  validate: (now, _before, facts) => (makerOf(now, facts) ? [] : BOUND_KEYS.flatMap((keys) => outside(now, keys))),
};

/** A most of 0 takes the object out of the autoscaler's hands; of bounds the wrong way round the other rule speaks. */
function outside({ metadata, spec }: Templated, keys: Keys): Violation[] {
  const { least, most } = boundsIn(metadata.annotations ?? {}, keys);
  const replicas = spec.replicas ?? 0;
  if (least === undefined || most === undefined || most === 0 || least > most) return [];
  if (replicas >= least && replicas <= most) return [];
  return [
    {
      message: `is ${replicas}, outside the ${least} to ${most} that the annotations allow a cluster-autoscaler, which may change it back`,
    },
  ];
}

const boundsIn = (annotations: Readonly<Record<string, string>>, { min, max }: Keys) => ({
  least: boundOf(annotations[min] ?? ''),
  most: boundOf(annotations[max] ?? ''),
});
