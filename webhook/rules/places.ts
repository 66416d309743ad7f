import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type MachineDeployment, machineDeploymentKind } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import type { Selector } from '../../schemas/selector.ts';
import type { Default } from '../admission/defaults.ts';

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

/** What MachineSets and MachineDeployments have in common. */
export interface Templated extends KubeObject {
  spec: {
    replicas?: number | undefined;
    selector?: Selector | undefined;
    template?: { metadata?: TemplateMeta | undefined } | undefined;
  };
}

interface TemplateMeta {
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
}

/** A typed Go client leaves out a 0, so absent means 0; but who takes replicas out of what is applied leaves them to a scaler. */
export const replicas: Default<Templated> = {
  id: 'replicas',
  field: 'spec.replicas',
  description:
    'becomes 0 on creation; on an update it keeps its value when a field manager is named, as every apply, `kubectl patch` and `kubectl edit` do, and becomes 0 otherwise, because typed clients that PUT leave out a 0',
  value: (_now, { before, partial }) => (partial ? (before?.spec?.replicas ?? 0) : 0),
};

/** Whether a set of its namespace belongs to a deployment; by name, for what is being created may have no uid yet. */
export function isSetOf({ metadata }: KubeObject, set: MachineSet): boolean {
  const owner = controllerOf(set);
  return owner?.kind === machineDeploymentKind.kind && owner.name === metadata.name;
}

/** A number of things, for a sentence: `1 machine`, `3 machines`. Their names are for those who may list them. */
export const countOf = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;
