import {
  ANNOTATION_DESIRED,
  ANNOTATION_MARKED,
  ANNOTATION_PRIORITY,
  ANNOTATION_SCALED_BY_SCALER,
} from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

/**
 * Up to when machines that a scaler marked are to go, milliseconds; NaN for never. A set that has yet to follow its
 * deployment's size waits for that: it would put another machine in the place of each that goes.
 */
export function victimsUntil(set: MachineSet, deployment: MachineDeployment | undefined): number {
  const { [ANNOTATION_DESIRED]: desired, [ANNOTATION_SCALED_BY_SCALER]: until = '' } = set.metadata.annotations ?? {};
  const follows = deployment === undefined || desired === String(deployment.spec.replicas ?? 0);
  return follows ? Date.parse(until) : Number.NaN;
}

/** A scaler wanted this machine to be gone when it last scaled, or before (MCM 4.11, 5.4): it goes, whatever the number. */
export function isVictim({ metadata }: Machine, until: number): boolean {
  const { [ANNOTATION_PRIORITY]: priority, [ANNOTATION_MARKED]: marked = '' } = metadata.annotations ?? {};
  return priority === '1' && Date.parse(marked) <= until;
}
