import { expect, test } from 'bun:test';
import { kindSchema } from '../crd.ts';
import { machineKind } from '../machine.ts';
import type { MachineSpec } from '../machinespec.ts';
import { type Capability, capabilityRows } from '../providers/capabilities.ts';
import type { Structural } from '../structural.ts';
import { drivenFields, isUnsupported } from './drivenfields.ts';

const partOf = (schema: Structural | undefined, path: string) =>
  path.split('.').reduce((part, name) => part?.properties?.[name], schema);

// hack/decisions/0051 C4
test.each(drivenFields.map((row) => [row.id, row] as const))(
  '%s: kubectl explain says what the field needs',
  (_id, row) => {
    const sentence = partOf(kindSchema(machineKind), `spec.${row.field}`)?.description ?? '';
    expect(sentence).toContain(row.needs === undefined ? 'no such kind yet' : `\`${row.needs}\``);
  },
);

const unsupported = (spec: MachineSpec, ...words: Capability[]) =>
  drivenFields.filter((row) => isUnsupported(row, spec, new Set(words))).map(({ id }) => id);

test('a field asks for nothing when it is left out, or has its default', () => {
  const served = {
    deletionPolicy: 'Delete',
    powerOffMode: 'TrySoft',
    suspendMode: 'TrySoft',
    restartMode: 'TrySoft',
  } as const;
  expect([unsupported({}), unsupported(served)]).toEqual([[], []]);
});

test('what a driver can is supported', () => {
  const spec = { powerState: 'PoweredOff', versions: { kubelet: 'v1.36.2' }, image: { name: 'debian' } } as const;
  expect(unsupported(spec)).toEqual(['power-possible', 'image-name-possible', 'versions-possible']);
  expect(unsupported(spec, 'power')).toEqual(['image-name-possible', 'versions-possible']);
  expect(unsupported(spec, ...capabilityRows.map(([word]) => word))).toEqual(['image-name-possible']);
});
