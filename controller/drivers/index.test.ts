import { expect, test } from 'bun:test';
import { providers } from '../../schemas/providers/index.ts';
import type { Driver } from '../driver.ts';
import { onlyTarget } from '../drivertargets.fixture.ts';
import { Api } from '../runtime/api.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { noCredentials } from '../runtime/connection.ts';
import { FakeLog } from '../runtime/log.fake.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { drivers, registered } from './index.ts';

const clock = new FakeClock();
const control = new Api({ connection: { server: 'http://127.0.0.1:1', credentials: noCredentials }, clock });
const parts = { clock, random: seededRandom(1), log: new FakeLog(), metrics: createMetrics({ tables: [] }) };

const made = (wanted: readonly string[]) =>
  drivers({ ...parts, control, targets: onlyTarget(undefined), virtualStore: 'memory', wanted });

test('only drivers that are wanted are made', () => {
  expect([...made(['virtual']).keys()]).toEqual(['virtual']);
  expect(made([]).size).toBe(0);
});

test('the webhook knows of every driver what it publishes', () => {
  const all = [...made(providers.map(({ name }) => name)).values()];
  expect(all.map(({ name, providerSpec, nodeTemplate }) => ({ name, providerSpec, nodeTemplate }))).toEqual(
    providers.map(({ name, providerSpec, nodeTemplate }) => ({ name, providerSpec, nodeTemplate })),
  );
});

test('a driver that marks fields hot and cannot update a VM is not registered', () => {
  const providerSpec = { properties: { tags: { type: 'object', 'x-drover-hot-update': true } } };
  const driver = { name: 'mine', providerSpec } as unknown as Driver;
  expect(() => registered([driver])).toThrow('driver mine marks fields with x-drover-hot-update');
  expect(registered([{ ...driver, updateMachine: async () => {} }]).size).toBe(1);
});

test.each([
  ['providerSpec', { providerSpec: { $async: true } }],
  ['nodeTemplate', { providerSpec: {}, nodeTemplate: { $async: true } }],
])('a driver whose %s has a schema beyond the bounds is not registered', (what, schemas) => {
  const driver = { name: 'mine', ...schemas } as unknown as Driver;
  expect(() => registered([driver])).toThrow(`the JSON Schema of the ${what} of driver mine cannot be taken: /: `);
});
