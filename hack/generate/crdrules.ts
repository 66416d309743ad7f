import { kindSchema } from '../../schemas/crd.ts';
import type { CelRule } from '../../schemas/field.ts';
import type { Kind } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Structural } from '../../schemas/structural.ts';
import { fieldsOf, placesIn } from './fields.ts';

/** A rule that the API server checks itself, because a CRD states it. */
export interface CrdRule {
  kind: string;
  layer: 'schema' | 'CEL';
  on: readonly string[];
  /** `[]` stands for each entry of a list. */
  field: string;
  message: string;
}

/**
 * Every rule in CEL, and every limit of a field that people write. What holds for the spec of a Machine holds in templates
 * as well and is said once, with the Machine.
 */
export function crdRules(): CrdRule[] {
  const all = kinds.flatMap((kind) => [...celRulesOf(kind), ...limitsOf(kind)]);
  const ofMachines = new Set(all.filter(({ kind }) => kind === 'Machine').map(meaning));
  return all.filter((rule) => rule.kind === 'Machine' || !ofMachines.has(meaning(rule)));
}

const meaning = ({ layer, field, message }: CrdRule): string =>
  JSON.stringify([layer, field.replace(/^spec\.template\.spec/, 'spec'), message]);

/** A rule in CEL, and the place of the schema that carries it. */
export interface PlacedCel {
  at: string;
  rule: CelRule;
}

/** Every rule in CEL of a kind. */
export const celOf = (kind: Kind): PlacedCel[] => celBelow(kindSchema(kind), '');

const celBelow = (schema: Structural, at: string): PlacedCel[] => [
  ...(schema['x-kubernetes-validations'] ?? []).map((rule) => ({ at, rule })),
  ...placesIn(schema, at).flatMap(([place, part]) => celBelow(part, place)),
];

const celRulesOf = (kind: Kind): CrdRule[] =>
  celOf(kind).map(({ at, rule: { rule, message, fieldPath = '' } }) => ({
    kind: kind.kind,
    layer: 'CEL',
    on: rule.includes('oldSelf') ? ['update'] : ['create', 'update'],
    field: `${at}${fieldPath}`.replace(/^\./, ''),
    message,
  }));

function limitsOf(kind: Kind): CrdRule[] {
  const told = celRulesOf(kind).filter(({ message }) => /^must be a .* such as /.test(message));
  const inCel = new Set(told.map(({ field }) => field));
  return fieldsOf(kindSchema(kind))
    .filter(({ path }) => !path.startsWith('status'))
    .map(({ path, type, rules }) => ({
      path,
      limits: [...(inCel.has(path) ? [] : formOf(type)), ...rules.filter((rule) => !rule.startsWith('*'))],
    }))
    .filter(({ limits }) => limits.length > 0)
    .map(({ path, limits }) => ({
      kind: kind.kind,
      layer: 'schema',
      on: ['create', 'update'],
      field: path,
      message: limits.join('; '),
    }));
}

/** How a value must be written, where that has a name: `a duration`. */
const formOf = (type: string): string[] =>
  /^(string|integer|number|boolean|any|object|list|map)/.test(type) ? [] : [`must be a ${type}`];
