import { expect, test } from 'bun:test';
import { machineClass } from '../../test/fixtures/objects.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { HotFields } from './template.ts';

const driver: Driver = {
  name: 'virtual',
  providerSpec: { type: 'object', properties: { tags: { type: 'object', 'x-drover-hot-update': true } } },
  createMachine: () => Promise.reject(),
  deleteMachine: () => Promise.reject(),
  updateMachine: async () => {},
};
const { updateMachine: _, ...without } = driver;
const providerSpec = { tags: { b: '2', a: '1' }, node: {} };

test.each([
  ['are what its driver marks', driver, providerSpec, '{"tags":{"a":"1","b":"2"}}'],
  ['may be none', driver, {}, '{}'],
  ['are none where no spec is', driver, undefined, '{}'],
  ['are not told when the driver marks nothing', { ...driver, providerSpec: {} }, providerSpec, undefined],
  ['are not told when the driver updates nothing', without, providerSpec, undefined],
] as const)('the hot fields of a class %s', (_what, one, spec, fields) => {
  const hotFields = new HotFields(new Map([['virtual', one]]));
  const found = { ...machineClass(), providerSpec: spec } as ReturnType<typeof machineClass>;
  expect([hotFields.of(found), hotFields.of(found)]).toEqual([fields, fields]);
});
