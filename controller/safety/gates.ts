import type { Clock } from '../runtime/clock.ts';
import type { KubeObject } from '../runtime/object.ts';
import type { Reach } from '../runtime/reach.ts';
import type { Target } from '../targets.ts';
import { type Gate, gateOf, openGate } from './gate.ts';

/** Finds the gate of a Machine, MachineSet or MachineDeployment, as it is at this moment. */
export interface Gates {
  of(object: KubeObject): Gate;
}

/** Where gates are read. */
export interface GateSources {
  control: Pick<Reach, 'fact'>;
  /** The target cluster of an object; undefined when it has none. */
  targetOf(object: KubeObject): Pick<Target, 'reach'> | undefined;
  clock: Clock;
  /** See `gateOf`. */
  awayMs: number;
}

/** Gates made from how API servers stand. */
export const gatesOf = ({ control, targetOf, clock, awayMs }: GateSources): Gates => ({
  of: (object) =>
    gateOf({ control: control.fact(), target: targetOf(object)?.reach.fact() }, { now: clock.now(), awayMs }),
});

/** Gates of which none is ever shut. */
export const openGates: Gates = { of: () => openGate };
