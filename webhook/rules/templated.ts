import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Selector } from '../../schemas/selector.ts';
import type { Default } from '../admission/defaults.ts';

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
  says: 'becomes 0 on creation; on an update it keeps its value when a field manager is named, as every apply, `kubectl patch` and `kubectl edit` do, and becomes 0 otherwise, because typed clients that PUT leave out a 0',
  value: (_now, { before, partial }) => (partial ? (before?.spec?.replicas ?? 0) : 0),
};
