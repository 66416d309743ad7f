import { ANNOTATION_DESIRED, ANNOTATION_SCALED_BY_SCALER } from '../../../schemas/keys.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';

/**
 * Up to when machines that a scaler marked are to go, milliseconds; NaN for never. A set that has yet to follow its
 * deployment's size waits for that: it would put another machine in the place of each that goes.
 */
export function victimsUntil(set: MachineSet, deployment: MachineDeployment | undefined): number {
  const { [ANNOTATION_DESIRED]: desired, [ANNOTATION_SCALED_BY_SCALER]: until = '' } = set.metadata.annotations ?? {};
  const follows = deployment === undefined || desired === String(deployment.spec.replicas ?? 0);
  return follows ? Date.parse(until) : Number.NaN;
}
