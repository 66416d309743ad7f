import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import { machineDeploymentKind } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';

/** Whether a set of its namespace belongs to a deployment; by name, for what is being created may have no uid yet. */
export function isSetOf({ metadata }: KubeObject, set: MachineSet): boolean {
  const owner = controllerOf(set);
  return owner?.kind === machineDeploymentKind.kind && owner.name === metadata.name;
}
