import { describe, expect, test } from 'bun:test';
import { placesIn } from '../../hack/generate/fields.ts';
import { kindSchema } from '../../schemas/crd.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { drivenFields } from '../../schemas/rules/drivenfields.ts';
import type { Structural } from '../../schemas/structural.ts';
import { type HeededValues, values } from './values.ts';

/** A field whose values are counted, which a user may write; templates hold a Machine's spec. */
const fewValued = kinds.flatMap((kind) =>
  enumsIn(kindSchema(kind), '')
    .filter(([path]) => !/^status\b|^spec\.template\.spec\./.test(path))
    .map(([path, options]) => [kind.kind, path, options] as const),
);

function enumsIn(schema: Structural, path: string): Array<[path: string, options: readonly unknown[]]> {
  const own: Array<[string, readonly unknown[]]> = schema.enum ? [[path, schema.enum]] : [];
  return [...own, ...placesIn(schema, path).flatMap(([at, part]) => enumsIn(part, at))];
}

// hack/decisions/0051 C4: an added value that nobody heeds would be taken for one of the others, or for nothing.
describe('each value of a field is heeded, and so that it differs from the others', () => {
  test.each(fewValued)('%s %s', (kind, path, options) => {
    const rows = values[kind]?.[path] ?? {};
    expect(Object.keys(rows).toSorted()).toEqual(options.map(String).toSorted());
    expect(unheeded(path, rows)).toEqual([]);
  });

  test('no row is of a field that has no such values', () => {
    const rows = Object.entries(values).flatMap(([kind, of]) => Object.keys(of).map((path) => `${kind} ${path}`));
    expect(rows.toSorted()).toEqual(fewValued.map(([kind, path]) => `${kind} ${path}`).toSorted());
  });
});

/** Values of which the row does not hold. */
function unheeded(path: string, rows: HeededValues): string[] {
  const seen = new Map<string, string>();
  return Object.entries(rows).flatMap(([value, heeded]) => {
    const asks = asksOf(path, value);
    if (heeded === 'usual') return asks.length === 0 ? [] : [`${value} asks for ${asks}`];
    if (typeof heeded !== 'function') return asks.includes(heeded.driven) ? [] : [`${value} asks no driver`];
    const became = Bun.inspect(heeded());
    const like = seen.get(became);
    seen.set(became, value);
    return like === undefined ? [] : [`${value} is as ${like}`];
  });
}

/** The rules by which a Machine's spec with this value asks for a driver that can. */
const asksOf = (path: string, value: string): string[] => {
  const spec: MachineSpec = { [path.replace('spec.', '')]: value };
  return drivenFields.filter(({ field, asks }) => `spec.${field}` === path && asks(spec)).map(({ id }) => id);
};

test('a value that nobody heeds is found', () => {
  const rows = { Evict: () => 1, Delete: () => 1, Keep: () => 2 };
  expect(unheeded('spec.drain.behavior', rows)).toEqual(['Delete is as Evict']);
  expect(unheeded('spec.powerOffMode', { Hard: 'usual', TrySoft: { driven: 'power-off-mode-possible' } })).toEqual([
    'Hard asks for power-off-mode-possible',
    'TrySoft asks no driver',
  ]);
});
