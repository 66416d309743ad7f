import { expect, test } from 'bun:test';
import { breaksMachineNames, isCutIn } from './names.ts';

test.each([
  ['MachineSet', 57, false],
  ['MachineSet', 58, true],
  ['MachineDeployment', 51, false],
  ['MachineDeployment', 52, true],
] as const)('of a %s a name of %d characters is cut in those of machines: %p', (kind, length, cut) => {
  expect(isCutIn(kind, 'a'.repeat(length))).toBe(cut);
});

test.each([
  ['MachineSet', `${'a'.repeat(56)}.b`, true],
  ['MachineSet', `${'a'.repeat(55)}.b`, false],
  ['MachineSet', 'a.b', false],
  ['MachineDeployment', `${'a'.repeat(56)}.b`, true],
  ['MachineDeployment', `${'a'.repeat(57)}.b`, false],
] as const)('of a %s called %s the machines would have no valid names: %p', (kind, name, breaks) => {
  expect(breaksMachineNames(kind, name)).toBe(breaks);
});
