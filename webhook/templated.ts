import type { KubeObject } from '../controller/runtime/object.ts';
import type { Selector } from '../schemas/selector.ts';
import type { Default } from './defaults.ts';

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

/** A typed Go client leaves out a 0, so that absent means 0; but a PATCH need not name what it does not change (decisions 2). */
export const replicas: Default<Templated> = {
  id: 'replicas',
  field: 'spec.replicas',
  says: 'becomes 0 on creation and on a PUT; left out of a PATCH or an apply, it keeps its value',
  value: (_now, { before, partial }) => (partial ? (before?.spec?.replicas ?? 0) : 0),
};
