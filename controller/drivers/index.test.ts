import { describe, expect, test } from 'bun:test';
import { type Capability, capabilities } from '../../schemas/providers/capabilities.ts';
import { type Published, providers } from '../../schemas/providers/index.ts';
import { Api } from '../runtime/client/api.ts';
import { noCredentials } from '../runtime/client/connection.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { drivers, registered } from './index.ts';
import type { Driver } from './sdk/driver.ts';
import { onlyTarget } from './sdk/targets.fixture.ts';

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
  const told = ({ name, providerSpec, nodeTemplate, capabilities }: Published) => ({
    name,
    providerSpec,
    nodeTemplate,
    capabilities,
  });
  expect(all.map(told)).toEqual(providers.map(told));
});

test('a driver that marks fields hot and cannot update a VM is not registered', () => {
  const providerSpec = { properties: { tags: { type: 'object', 'x-drover-hot-update': true } } };
  const driver = { name: 'mine', providerSpec } as unknown as Driver;
  expect(() => registered([driver])).toThrow('driver mine marks fields with x-drover-hot-update');
  expect(registered([{ ...driver, capabilities: ['update'], updateMachine: async () => {} }]).size).toBe(1);
});

test.each([
  ['providerSpec', { providerSpec: { $async: true } }],
  ['nodeTemplate', { providerSpec: {}, nodeTemplate: { $async: true } }],
])('a driver whose %s has a schema beyond the bounds is not registered', (what, schemas) => {
  const driver = { name: 'mine', ...schemas } as unknown as Driver;
  expect(() => registered([driver])).toThrow(`the JSON Schema of the ${what} of driver mine cannot be taken: /: `);
});

// hack/decisions/0051 C4, L25
describe('a driver publishes what it can, and nothing else', () => {
  const method = async () => {};
  const driver = (words: readonly Capability[], ...methods: string[]) =>
    ({
      name: 'mine',
      providerSpec: {},
      capabilities: words,
      ...Object.fromEntries(methods.map((name) => [name, method])),
    }) as unknown as Driver;

  test.each<[string, Driver, string]>([
    ['a word without its method', driver(['retain']), 'must publish retain if it has retainMachine, and only then'],
    [
      'a method without its word',
      driver([], 'updateMachine'),
      'must publish update if it has updateMachine, and only then',
    ],
    [
      'what nobody calls',
      driver(['power'], 'setPowerState'),
      'must not publish power: Drover does not call setPowerState yet',
    ],
  ])('%s is not registered', (_what, one, fault) => {
    expect(() => registered([one])).toThrow(`driver mine ${fault}`);
  });

  test.each<[string, Driver]>([
    ['nothing', driver([])],
    ['a word and its method', driver(['retain', 'update'], 'retainMachine', 'updateMachine')],
    ['what it does by itself', driver(['network', 'images', 'versions'])],
    ['a method that nobody calls', driver([], 'setPowerState', 'restart', 'promoteDisks', 'snapshot')],
  ])('%s is', (_what, one) => {
    expect(registered([one]).get('mine')).toBe(one);
  });

  test('a word waits for the controller only where the controller does it', () => {
    const odd = Object.entries(capabilities).filter(([, row]) => 'pending' in row && !('method' in row));
    expect(odd).toEqual([]);
  });
});
