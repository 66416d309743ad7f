import { type Column, type Kind, version } from './kind.ts';
import { type Structural, structuralSchema } from './structural.ts';

/** Name of the CRD of a kind: `machines.machine.sapcloud.io`. */
export const crdName = ({ plural, group }: Kind): string => `${plural}.${group}`;

/** A kind as a CustomResourceDefinition (apiextensions.k8s.io/v1). */
export function crd(kind: Kind): Record<string, unknown> {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(kind) },
    spec: { group: kind.group, names: names(kind), scope: 'Namespaced', versions: [servedVersion(kind)] },
  };
}

/** The schema of a kind as its CRD carries it. */
export function kindSchema({ schema, kind, sentence }: Kind): Structural {
  try {
    const { properties, ...rest } = structuralSchema(schema);
    const required = rest.required?.filter((name) => name !== 'metadata') ?? [];
    return {
      ...rest,
      description: sentence,
      properties: { ...properties, ...bare },
      ...(required.length > 0 ? { required } : {}),
    };
  } catch (error) {
    throw new Error(`cannot write the CRD of ${kind}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

/** The API server knows these itself and lets a CRD say nothing more of them. */
const bare: Record<string, Structural> = {
  apiVersion: { type: 'string', description: 'Group and version of the object.' },
  kind: { type: 'string', description: 'Kind of the object.' },
  metadata: { type: 'object' },
};

const names = ({ kind, plural, shortName }: Kind) => ({
  kind,
  listKind: `${kind}List`,
  plural,
  singular: kind.toLowerCase(),
  shortNames: [shortName],
});

function servedVersion(kind: Kind) {
  return {
    name: version,
    served: true,
    storage: true,
    ...(kind.columns.length > 0 ? { additionalPrinterColumns: kind.columns.map(column) } : {}),
    ...(kind.status ? { subresources: subresources(kind) } : {}),
    schema: { openAPIV3Schema: kindSchema(kind) },
  };
}

const column = ({ name, type, jsonPath, wide }: Column) => ({ name, type, jsonPath, ...(wide ? { priority: 1 } : {}) });

const subresources = ({ scale }: Kind) => ({
  status: {},
  ...(scale
    ? {
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.labelSelector',
        },
      }
    : {}),
});
