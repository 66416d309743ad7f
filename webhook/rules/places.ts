import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';

/** Where an object says what a machine shall be. Rules over it have ids of their own for templates. */
export interface SpecPlace<T extends KubeObject> {
  field: string;
  idPrefix: string;
  of(object: T): MachineSpec | undefined;
}

/** Of a Machine: its spec. */
export const ownSpec: SpecPlace<Machine> = { field: 'spec', idPrefix: '', of: ({ spec }) => spec };

/** Of sets and deployments: the spec in their template. */
export const templateSpec: SpecPlace<MachineSet | MachineDeployment> = {
  field: 'spec.template.spec',
  idPrefix: 'template-',
  of: ({ spec }) => spec?.template?.spec,
};
