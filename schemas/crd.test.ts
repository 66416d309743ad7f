import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { objectEntries } from './common.ts';
import { crd, kindSchema } from './crd.ts';
import { defaulted } from './field.ts';
import { age, type Kind } from './kind.ts';

const schema = v.object({ ...objectEntries, spec: v.object({ size: defaulted(v.string(), 'small', 'The size.') }) });
const kind: Kind = {
  group: 'machine.sapcloud.io',
  kind: 'Sheep',
  plural: 'sheep',
  shortName: 'sh',
  sentence: 'A Sheep grazes.',
  schema,
  status: true,
  scale: true,
  superset: [],
  columns: [age, { name: 'Size', type: 'string', jsonPath: '.spec.size', wide: true }],
};

describe('a CRD', () => {
  test('names the kind, serves one version with its subresources, and shows the columns', () => {
    expect(crd(kind)).toMatchObject({
      metadata: { name: 'sheep.machine.sapcloud.io' },
      spec: {
        scope: 'Namespaced',
        names: { kind: 'Sheep', listKind: 'SheepList', plural: 'sheep', singular: 'sheep', shortNames: ['sh'] },
        versions: [
          {
            name: 'v1alpha1',
            served: true,
            storage: true,
            subresources: { status: {}, scale: { labelSelectorPath: '.status.labelSelector' } },
            additionalPrinterColumns: [
              { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
              { name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1 },
            ],
          },
        ],
      },
    });
  });

  test('says nothing of metadata, which the API server knows itself', () => {
    const { properties, required, description } = kindSchema(kind);
    expect(properties?.['metadata']).toEqual({ type: 'object' });
    expect(required).toEqual(['spec']);
    expect(description).toBe('A Sheep grazes.');
    expect(properties?.['spec']?.properties?.['size']).toEqual({
      type: 'string',
      default: 'small',
      description: 'The size.',
    });
  });

  test('that cannot be written names kind and field', () => {
    const odd = { ...kind, schema: v.object({ spec: v.object({ when: v.intersect([v.string()]) }) }) };
    expect(() => crd(odd)).toThrow('cannot write the CRD of Sheep: spec.when: a CRD cannot say the keyword allOf');
  });
});
