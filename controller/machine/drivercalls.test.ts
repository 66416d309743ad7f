import { describe, expect, test } from 'bun:test';
import { BORN, machine, machineClass } from '../../test/fixtures/objects.ts';
import { type Code, DriverError } from '../codes.ts';
import type { Driver, MachineRequest } from '../driver.ts';
import { Cache } from '../runtime/cache.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Secret } from '../runtime/core.ts';
import { FakeLog } from '../runtime/log.fake.ts';
import { seededRandom } from '../runtime/random.ts';
import { Calls } from './calls.ts';
import { DriverCalls } from './drivercalls.ts';
import { noTokens, recorded, view } from './view.fixture.ts';
import type { VmFact } from './view.ts';

const VM = { providerID: 'cloud:///1', nodeName: 'n' };
const says =
  (code: Code, known = {}) =>
  async () => {
    throw new DriverError(code, `the cloud says ${code}`, { known });
  };

/** Makes one call on a driver that has these methods, and answers what is then known of the VM. */
async function known(
  methods: Partial<Driver>,
  method: 'createMachine' | 'getMachineStatus' | 'initializeMachine',
  { one = machine(), userData = 'one' } = {},
) {
  const clock = new FakeClock(BORN);
  const limits = { createMachine: 1, deleteMachine: 1, exhaustedRetryMs: 1 };
  const calls = new Calls({ clock, random: seededRandom(1), log: new FakeLog(), limits, wake: () => {} });
  const secrets = new Cache<Secret>();
  secrets.put({ metadata: { namespace: 'herd', name: 'a' }, data: { userData: btoa(userData), token: btoa('x') } });
  secrets.put({ metadata: { namespace: 'herd', name: 'b' }, data: { token: btoa('y') } });
  const driver: Driver = {
    name: 'virtual',
    providerSpec: {},
    createMachine: async () => VM,
    deleteMachine: async () => ({}),
    ...methods,
  };
  const drivers = new Map([['virtual', driver]]);
  const tokens = { ...noTokens, textOf: () => 'abcdef.0123456789abcdef' };
  const driverCalls = new DriverCalls({ calls, secrets, drivers, tokens, incarnation: 'here' });
  const found = machineClass({ secretRef: { name: 'a' }, credentialsSecretRef: { name: 'b', namespace: 'herd' } });
  driverCalls.start(view({ machine: one, class: { at: 'ours', class: found } }), method);
  await clock.advance(0);
  const { failure } = calls.fact({ uid: 'uid-m', classKey: '', method, mark: '' });
  return { vm: calls.vm('uid-m'), code: failure?.code };
}

const present = (changes = {}): VmFact => ({ at: 'present', ...VM, initialized: true, ...changes });

describe('a VM that was made', () => {
  test.each([
    ['is done when the driver has nothing to initialize', {}, present()],
    [
      'is to be initialized when the driver can',
      { initializeMachine: async () => VM },
      present({ initialized: false }),
    ],
    [
      'is done when the driver says so',
      { initializeMachine: async () => VM, createMachine: async () => ({ ...VM, initialized: true }) },
      present(),
    ],
  ] as Array<[string, Partial<Driver>, VmFact]>)('%s', async (_what, methods, vm) => {
    expect((await known(methods, 'createMachine')).vm).toEqual(vm);
  });

  test('before is adopted when it is ours', async () => {
    const methods = { createMachine: says('AlreadyExists'), getMachineStatus: async () => VM };
    expect(await known(methods, 'createMachine')).toEqual({ vm: present(), code: undefined });
  });

  test('by somebody else is an error', async () => {
    const methods = { createMachine: says('AlreadyExists'), getMachineStatus: says('NotFound') };
    expect(await known(methods, 'createMachine')).toEqual({ vm: { at: 'unknown' }, code: 'AlreadyExists' });
  });
});

describe('asked how a VM stands, a driver', () => {
  const listed =
    (...names: string[]) =>
    async () =>
      names.map((machineName, at) => ({ providerID: `cloud:///${at + 1}`, machineName }));
  test.each([
    ['answers', { getMachineStatus: async () => VM }, present()],
    ['says that it is absent', { getMachineStatus: says('NotFound') }, { at: 'absent', since: BORN }],
    [
      'says that it is to be initialized',
      { getMachineStatus: says('Uninitialized', VM) },
      present({ initialized: false }),
    ],
    ['may not know', { getMachineStatus: says('Unavailable') }, { at: 'unknown' }],
    [
      'without the method is asked for the list',
      { listMachines: listed('x', 'm') },
      present({ providerID: 'cloud:///2', nodeName: 'm' }),
    ],
    [
      'that does not serve the method is asked for the list',
      { getMachineStatus: says('Unimplemented'), listMachines: listed() },
      { at: 'absent', since: BORN },
    ],
    ['that lists two of the name is in doubt', { listMachines: listed('m', 'm') }, { at: 'unknown' }],
    ['with neither is trusted to create but once', {}, { at: 'absent', since: BORN }],
  ] as Array<[string, Partial<Driver>, VmFact]>)('%s', async (_what, methods, vm) => {
    expect((await known(methods, 'getMachineStatus')).vm).toEqual(vm);
  });

  test('with neither leaves a VM alone that is recorded', async () => {
    const vm = present({ providerID: 'virtual:///uid-m', nodeName: 'm' });
    expect((await known({}, 'getMachineStatus', { one: machine(recorded) })).vm).toEqual(vm);
  });
});

test.each(['NotFound', 'Unimplemented'] as const)('an initialization that answers %s is skipped', async (code) => {
  const { vm } = await known({ initializeMachine: says(code) }, 'initializeMachine', { one: machine(recorded) });
  expect(vm).toEqual(present({ providerID: 'virtual:///uid-m', nodeName: 'm' }));
});

test('a request carries the token, the incarnation and the merged secrets, the second one winning', async () => {
  let seen: MachineRequest | undefined;
  const createMachine = async (request: MachineRequest) => {
    seen = request;
    return VM;
  };
  await known({ createMachine }, 'createMachine');
  expect(seen).toMatchObject({ token: 'uid-m', incarnation: 'here', secret: { userData: 'one', token: 'y' } });
});

test.each([
  ['createMachine', 'm abcdef.0123456789abcdef'],
  ['initializeMachine', 'm abcdef.0123456789abcdef'],
  ['getMachineStatus', '<<MACHINE_NAME>> <<BOOTSTRAP_TOKEN>>'],
] as const)(
  'user data of %s, and nobody else’s, carries the Machine’s name and token (MCM 6.4)',
  async (method, handed) => {
    const seen: string[] = [];
    const note = async ({ secret }: MachineRequest) => {
      seen.push(secret['userData'] ?? '');
      return VM;
    };
    const methods = { createMachine: note, initializeMachine: note, getMachineStatus: note };
    await known(methods, method, { one: machine(recorded), userData: '<<MACHINE_NAME>> <<BOOTSTRAP_TOKEN>>' });
    expect(seen).toEqual([handed]);
  },
);
