import type { Target, Targets } from '../../model/target.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Reach } from '../../runtime/health/probe.ts';
import type { ReachFact } from '../../runtime/health/probestate.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { type Gate, gateOf } from './gate.ts';

/** Finds the gate of a Machine, MachineSet or MachineDeployment, as it is at this moment. */
export interface Gates {
  of(object: KubeObject): Gate;
}

/** Where gates are read. */
export interface GateSources {
  control: Pick<Reach, 'fact'>;
  targets: Pick<Targets, 'of'>;
  /** The target of an object, read or not; undefined when there is none, or no way to it. */
  followed(object: KubeObject): Pick<Target, 'reach'> | undefined;
  clock: Clock;
  /** See `gateOf`. */
  awayMs: number;
}

/** Gates made from how API servers stand. */
export const gatesOf = (sources: GateSources): Gates => ({
  of(object) {
    const { control, clock, awayMs } = sources;
    return gateOf({ control: control.fact(), target: standing(sources, object) }, { now: clock.now(), awayMs });
  },
});

/**
 * How the object's target stands. One to which there is no way is away; one that is gone, or will not be waited for
 * because its Cluster is being deleted, holds up nothing that leaves.
 */
function standing({ targets, followed }: GateSources, object: KubeObject): ReachFact | undefined {
  const fact = targets.of(object);
  if (fact.at === 'open') return fact.target.reach.fact();
  if (fact.at !== 'opening') return undefined;
  return followed(object)?.reach.fact() ?? { awaySince: fact.since, backSince: 0 };
}
