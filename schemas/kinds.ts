import { type Cluster, clusterKind } from './cluster.ts';
import type { ObjectMeta } from './common.ts';
import { apiVersionOf, type Kind, version } from './kind.ts';
import { type Machine, machineKind } from './machine.ts';
import { type MachineClass, machineClassKind } from './machineclass.ts';
import { type MachineDeployment, machineDeploymentKind } from './machinedeployment.ts';
import { type MachineDrainRule, machineDrainRuleKind } from './machinedrainrule.ts';
import { type MachineSet, machineSetKind } from './machineset.ts';

/** What `apiVersion` says in objects of the kinds that are wire-compatible with MCM. */
export const apiVersion = apiVersionOf(machineKind);

/** Every kind, in the order of the reference. Everything generated starts here. */
export const kinds: readonly Kind[] = [
  machineClassKind,
  machineKind,
  machineSetKind,
  machineDeploymentKind,
  clusterKind,
  machineDrainRuleKind,
];

/** Where the API server serves a kind of ours; fits `Resource` of the controller's runtime. */
export interface KindResource<T extends { metadata: ObjectMeta }> {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: true;
  /** Never set: carries the type. */
  readonly type?: T;
}

const resource = <T extends { metadata: ObjectMeta }>({ group, kind, plural }: Kind): KindResource<T> => ({
  group,
  version,
  plural,
  kind,
  namespaced: true,
});

/** Where the API server serves our kinds. */
export const resources = {
  machineClasses: resource<MachineClass>(machineClassKind),
  machines: resource<Machine>(machineKind),
  machineSets: resource<MachineSet>(machineSetKind),
  machineDeployments: resource<MachineDeployment>(machineDeploymentKind),
  clusters: resource<Cluster>(clusterKind),
  machineDrainRules: resource<MachineDrainRule>(machineDrainRuleKind),
};
