import type { KubeObject } from '../../controller/runtime/k8s/object.ts';

/** A kind of somebody else's, of which only the name is known here. */
export function foreign(group: string, version: string, kind: string): KubeObject {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const spec = {
    group,
    scope: 'Namespaced',
    names: { kind, singular, plural: `${singular}s` },
    versions: [{ name: version, served: true, storage: true, schema }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec,
  } as KubeObject;
}
