import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { AdmissionCase } from './case.ts';

type Scaled = MachineSet | MachineDeployment;
type Build<T extends Scaled> = (change?: (made: T) => void) => T;

const SIZE = 'cluster-api-autoscaler-node-group';

/** What holds between replicas and a cluster-autoscaler's bounds. */
export function autoscalerCases<T extends Scaled>(build: Build<T>): AdmissionCase<T>[] {
  const bounded = (bounds: [min?: string, max?: string], replicas = 2, group = 'cluster.x-k8s.io') =>
    build(({ metadata, spec }) => {
      const [min, max] = bounds;
      metadata.annotations = {
        ...(min === undefined ? {} : { [`${group}/${SIZE}-min-size`]: min }),
        ...(max === undefined ? {} : { [`${group}/${SIZE}-max-size`]: max }),
      };
      spec.replicas = replicas;
    });
  const ours = 'machine.sapcloud.io';
  return [
    { what: 'replicas within bounds', now: bounded(['1', '3']), refused: [] },
    { what: 'one bound alone', now: bounded(['5']), refused: [] },
    { what: 'bounds that take it out of the hands of the autoscaler', now: bounded(['0', '0']), refused: [] },
    {
      what: 'bounds the wrong way round',
      now: bounded(['3', '1']),
      refused: ['autoscaler-bounds'],
    },
    {
      what: 'a bound that is no number',
      now: bounded(['-1', 'three']),
      refused: ['autoscaler-bounds', 'autoscaler-bounds'],
    },
    {
      what: 'bounds under our own group the wrong way round',
      now: bounded(['3', '1'], 2, ours),
      refused: ['autoscaler-bounds'],
    },
    { what: 'replicas below bounds', now: bounded(['3', '5']), refused: [], warned: ['replicas-in-bounds'] },
    {
      what: 'replicas that leave the bounds',
      before: bounded(['1', '3']),
      now: bounded(['1', '3'], 4),
      refused: [],
      warned: ['replicas-in-bounds'],
    },
    {
      what: 'other labels while the replicas are out of bounds',
      before: bounded(['1', '3'], 4),
      now: build((made) => {
        Object.assign(made, bounded(['1', '3'], 4));
        made.metadata.labels = { tier: 'a' };
      }),
      refused: [],
    },
  ];
}
