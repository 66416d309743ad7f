import { describe, expect, test } from 'bun:test';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { BORN, machine, machineClass } from '../../../test/fixtures/objects.ts';
import type { Driver, MachineRequest, UpdateRequest } from '../../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../../drivers/sdk/errors.ts';
import { idle, noTokens, recorded, view } from '../flow/view.fixture.ts';
import type { VmFact } from '../flow/view.ts';
import { driverCallsTo, twoSecrets } from './requests.fixture.ts';

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
  { one = machine(), userData = 'one', memo = '', born = false } = {},
) {
  const tokens = { ...noTokens, textOf: () => 'abcdef.0123456789abcdef' };
  const all = { createMachine: async () => VM, deleteMachine: async () => ({}), ...methods };
  const { clock, calls, updates, driverCalls } = driverCallsTo(all, { secrets: twoSecrets({ userData }), tokens });
  if (born) updates.born('uid-m');
  const found = machineClass({ secretRef: { name: 'a' }, credentialsSecretRef: { name: 'b', namespace: 'herd' } });
  const remembered = memo ? { ...idle, lastKnownState: memo } : idle;
  driverCalls.start(view({ machine: one, class: { at: 'ours', class: found }, calls: remembered }), method);
  await clock.advance(0);
  const { failure } = calls.fact({ uid: 'uid-m', key: '', classKey: '', mark: '' });
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
  const listing =
    (...vms: string[]) =>
    async () =>
      vms.map((vm, at) => {
        const [machineName = '', incarnation = ''] = vm.split(' of ');
        return { providerID: `cloud:///${at + 1}`, machineName, incarnation };
      });
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
    [
      'that lists a namesake of another installation takes the one of ours',
      { listMachines: listing('m of another', 'm of here') },
      present({ providerID: 'cloud:///2', nodeName: 'm' }),
    ],
    [
      'that lists only a namesake of another installation says that it is absent',
      { listMachines: listing('m of another') },
      { at: 'absent', since: BORN },
    ],
    ['with neither is trusted to create but once', {}, { at: 'absent', since: BORN }],
  ] as Array<[string, Partial<Driver>, VmFact]>)('%s', async (_what, methods, vm) => {
    expect((await known(methods, 'getMachineStatus')).vm).toEqual(vm);
  });

  test('that lists two of the name means the one that is recorded', async () => {
    const vm = present({ providerID: 'cloud:///2', nodeName: 'm' });
    const one = machine({ spec: { ...recorded.spec, providerID: 'cloud:///2' } });
    expect((await known({ listMachines: listed('m', 'm') }, 'getMachineStatus', { one })).vm).toEqual(vm);
  });

  test('that lists VMs whose ids end alike means the one of these words, or of which it says so (0028 T6)', async () => {
    const list = async () =>
      ['gce:///q/z/db-0', 'gce:///p/z/db-0'].map((providerID) => ({ providerID, machineName: 'm' }));
    const of = async (providerID: string, methods: Partial<Driver> = {}) =>
      (await known({ listMachines: list, ...methods }, 'getMachineStatus', { one: machine({ spec: { providerID } }) }))
        .vm;
    expect(await of('gce:///p/z/db-0', { isSameVm: () => true })).toMatchObject({ providerID: 'gce:///p/z/db-0' });
    expect((await of('gce://p/z/db-0')).at).toBe('absent');
    const isSameVm = (one: string, other: string) => one.replace('///', '//') === other.replace('///', '//');
    expect(await of('gce://p/z/db-0', { isSameVm })).toMatchObject({ providerID: 'gce:///p/z/db-0' });
  });

  test('with neither leaves a VM alone that is recorded', async () => {
    const vm = present({ providerID: 'virtual:///uid-m', nodeName: 'm', assumed: true });
    const neither = { getMachineStatus: says('Unimplemented'), listMachines: says('Unimplemented') };
    expect((await known(neither, 'getMachineStatus', { one: machine(recorded) })).vm).toEqual(vm);
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
  'user data of %s, and nobody else’s, carries the Machine’s name and token (hack/spec/mcm.md 6.4)',
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
const hotSchema = { type: 'object', properties: { tags: { type: 'object', 'x-drover-hot-update': true } } };

describe('what a new VM was made of', () => {
  const hot = { providerSpec: hotSchema, updateMachine: async () => {} };
  const other = { installation: 'here', namespace: 'herd', name: 'm', uid: 'uid-of-another' };
  const heirs = { ...hot, createMachine: async () => ({ ...VM, owner: other }) };
  const adopts = { ...hot, createMachine: says('AlreadyExists'), getMachineStatus: async () => VM };
  test.each([
    ['is known of the first creation', hot, true, present({ madeOf: '{}' })],
    ['is not known where another process may have begun one before', hot, false, present()],
    ['is not known of a VM that was found', adopts, true, present()],
    ['is not known of a VM that bears the mark of a namesake', heirs, true, present({ owner: other })],
    ['does not matter to a driver that updates nothing', {}, true, present()],
  ] as Array<[string, Partial<Driver>, boolean, VmFact]>)('%s', async (_what, methods, born, vm) => {
    expect((await known(methods, 'createMachine', { born })).vm).toEqual(vm);
  });
});

describe('a hot update', () => {
  /** The request of an update of a Machine with this record. */
  async function request(record: string | undefined, one: MachineClass) {
    const seen: UpdateRequest[] = [];
    const updateMachine = async (update: UpdateRequest) => void seen.push(update);
    const { clock, updates, driverCalls } = driverCallsTo({ providerSpec: hotSchema, updateMachine });
    const annotations = record === undefined ? {} : { 'drover.dev/last-applied-provider-spec': record };
    const subject = machine({ ...recorded, metadata: { ...recorded.metadata, generation: 4, annotations } });
    driverCalls.update(view({ machine: subject, class: { at: 'ours', class: one } }), '{"tags":{"a":"1"}}');
    await clock.advance(0);
    expect(updates.fact({ uid: 'uid-m', key: '', classKey: '', mark: '' }).done).toBe('{"tags":{"a":"1"}}');
    return seen[0];
  }
  const inline = { metadata: { name: 'm', namespace: 'herd' }, provider: 'virtual', providerSpec: {} } as MachineClass;

  test('carries what may be on the VM, and a token that changes with the class', async () => {
    const named = machineClass({ metadata: { generation: 7 } });
    expect(await request('{"tags":{"b":"2"}}', named)).toMatchObject({
      token: 'uid-m/uid-small/7',
      applied: { tags: { b: '2' } },
    });
  });

  test('of an inline spec has a token that changes with the Machine', async () => {
    expect(await request(undefined, inline)).toMatchObject({ token: 'uid-m/4', applied: {} });
  });
});

test('the driver gets its memo back before it is written', async () => {
  const seen: Array<string | undefined> = [];
  const initializeMachine = async ({ machine: one }: MachineRequest) => {
    seen.push(one.status?.lastKnownState);
    return VM;
  };
  await known({ initializeMachine }, 'initializeMachine', { one: machine(recorded), memo: 'disk-1' });
  await known({ initializeMachine }, 'initializeMachine', {
    one: machine({ ...recorded, status: { lastKnownState: 'disk-0' } }),
  });
  expect(seen).toEqual(['disk-1', 'disk-0']);
});

test('a creation that answers Uninitialized has made the VM', async () => {
  const { vm } = await known({ createMachine: says('Uninitialized', VM) }, 'createMachine');
  expect(vm).toEqual(present({ initialized: false }));
});

test('a creation that answers AlreadyExists never takes the other’s identity', async () => {
  const methods = { createMachine: says('AlreadyExists', VM), getMachineStatus: says('NotFound') };
  expect(await known(methods, 'createMachine')).toEqual({ vm: { at: 'unknown' }, code: 'AlreadyExists' });
});
