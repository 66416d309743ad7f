import { describe, expect, test } from 'bun:test';
import type { VirtualSpec } from '../../../schemas/providers/virtual.ts';
import { BORN } from '../../../test/fixtures/objects.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { nodes } from '../../runtime/k8s/core.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { seededRandom } from '../../runtime/random.ts';
import { onlyTarget } from '../sdk/targets.fixture.ts';
import { virtualDriver } from './driver.ts';
import { memoryStore } from './memory.ts';
import { FakeTarget } from './target.fake.ts';
import { requestFor, vmWith } from './virtual.fixture.ts';

/** A driver on a fake clock; its simulator is not started. */
function driverOf(clock = new FakeClock()) {
  const store = memoryStore();
  const target = new FakeTarget();
  const metrics = createMetrics({ tables: [] });
  const parts = {
    store,
    api: target.api,
    targets: onlyTarget(target),
    clock,
    random: seededRandom(1),
    log: new FakeLog(),
    metrics,
  };
  return { driver: virtualDriver(parts), clock, store, target };
}

/** Follows a call: `waits`, `done`, or the code of its error. */
function followed(call: Promise<unknown>): { state: string } {
  const seen = { state: 'waits' };
  call.then(
    () => (seen.state = 'done'),
    (error) => (seen.state = error.code),
  );
  return seen;
}

const struck = (fault: NonNullable<NonNullable<VirtualSpec['faults']>['calls']>[number]): VirtualSpec => ({
  faults: { calls: [fault] },
});

describe('createMachine', () => {
  test('answers the identity, the Node’s name and the addresses', async () => {
    const { driver } = driverOf();
    expect(await driver.createMachine(requestFor('m'))).toEqual({
      providerID: 'virtual:///uid-m',
      nodeName: 'm',
      owner: { installation: 'here', namespace: 'herd', name: 'm', uid: 'uid-m' },
      addresses: [
        { type: 'InternalIP', address: expect.stringMatching(/^10\./) },
        { type: 'Hostname', address: 'm' },
      ],
      initialized: true,
    });
  });

  test('takes its time, and a repeated call only what is left of it', async () => {
    const { driver, clock, store } = driverOf();
    const request = requestFor('m', { latency: { create: '10s' } });
    const first = followed(driver.createMachine(request));
    await clock.advance(6_000);
    const second = followed(driver.createMachine(request));
    await clock.advance(3_999);
    expect([first.state, second.state, store.seen('uid-m')?.state]).toEqual(['waits', 'waits', 'Creating']);
    await clock.advance(1);
    expect([first.state, second.state]).toEqual(['done', 'done']);
  });

  test('makes Nodes as the class’s nodeTemplate and providerSpec say', async () => {
    const { driver, store } = driverOf();
    const request = requestFor('m', { node: { labels: { a: 'b' }, capacity: { pods: 5 }, os: 'linux' } });
    const nodeTemplate = { capacity: { cpu: 8, gpu: 1 }, instanceType: 'big', region: 'r', zone: 'z' };
    await driver.createMachine({ ...request, class: { ...request.class, nodeTemplate } });
    expect(store.seen('uid-m')?.node).toEqual({
      labels: {
        'node.kubernetes.io/instance-type': 'big',
        'topology.kubernetes.io/region': 'r',
        'topology.kubernetes.io/zone': 'z',
        'kubernetes.io/os': 'linux',
        a: 'b',
      },
      capacity: { cpu: '8', memory: '16Gi', pods: '5' },
    });
  });

  test('refuses a name that another Node has', async () => {
    const { driver, target } = driverOf();
    target.put(nodes, { metadata: { name: 'm' }, spec: { providerID: 'aws:///i-1' } });
    const end = new AbortController();
    await driver.start(end.signal);
    await expect(driver.createMachine(requestFor('m'))).rejects.toMatchObject({
      code: 'AlreadyExists',
      message: 'a Node m is there already and belongs to another machine',
    });
    end.abort(new Error('the test is over'));
  });

  const strangers = [
    ['of another machine', { machine: 'herd/other' }, 'AlreadyExists'],
    ['of another installation', { incarnation: 'elsewhere' }, 'AlreadyExists'],
    ['that is being deleted', { deleting: BORN }, 'Aborted'],
  ] as const;
  test.each(strangers)('does not take a VM %s for its own', async (_what, changes, code) => {
    const { driver, store } = driverOf();
    await store.create(vmWith(changes), requestFor('m').signal);
    await expect(driver.createMachine(requestFor('m'))).rejects.toMatchObject({ code });
  });
});

describe('deleteMachine', () => {
  test('switches the VM off, takes its time, and goes on where an earlier call ended', async () => {
    const { driver, clock, store } = driverOf();
    const request = requestFor('m', { latency: { delete: '10s' } });
    await driver.createMachine(request);
    const given = new AbortController();
    const first = followed(driver.deleteMachine({ ...request, signal: given.signal }));
    await clock.advance(6_000);
    given.abort();
    await clock.advance(0);
    expect([first.state, store.seen('uid-m')?.state]).toEqual(['DeadlineExceeded', 'Deleting']);
    const second = followed(driver.deleteMachine(request));
    await clock.advance(3_999);
    expect(second.state).toBe('waits');
    await clock.advance(1);
    expect([second.state, store.seen('uid-m')]).toEqual(['done', undefined]);
  });

  test('leaves nothing behind where a timer is a moment early', async () => {
    class Early extends FakeClock {
      override sleep(ms: number, signal?: AbortSignal): Promise<void> {
        return super.sleep(ms - 1, signal);
      }
    }
    const { driver, clock, store } = driverOf(new Early());
    const request = requestFor('m', { latency: { delete: '400ms', spread: 0.6 } });
    await driver.createMachine(request);
    const deletion = followed(driver.deleteMachine(request));
    await clock.advance(1_000);
    expect([deletion.state, store.seen('uid-m')]).toEqual(['done', undefined]);
  });

  test('answers before a VM has gone that is to stay for a while', async () => {
    const { driver, clock, store } = driverOf();
    const request = requestFor('m', { latency: { terminate: '2m' } });
    await driver.createMachine(request);
    await driver.deleteMachine(request);
    expect((await driver.getMachineStatus?.(request))?.providerID).toBe('virtual:///uid-m');
    await clock.advance(119_999);
    await driver.deleteMachine(request);
    expect(store.seen('uid-m')?.state).toBe('Deleting');
    await clock.advance(1);
    await driver.deleteMachine(request);
    await expect(driver.getMachineStatus?.(request)).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('goes by the providerID for a VM that says no more than its name', async () => {
    const { driver, store } = driverOf();
    await store.create(vmWith({ uid: 'by-mcm', incarnation: undefined }), requestFor('m').signal);
    const request = requestFor('m');
    await driver.deleteMachine({
      ...request,
      machine: { ...request.machine, spec: { providerID: 'virtual:///by-mcm' } },
    });
    expect(store.seen('by-mcm')).toBeUndefined();
  });

  test.each([
    ['of another machine, which its mark names', {}],
    ['of another machine, which its name tells', { incarnation: undefined }],
  ])('takes no VM %s (hack/decisions/0028 W4)', async (_what, changes) => {
    const { driver, store } = driverOf();
    await store.create(vmWith(changes), requestFor('m').signal);
    const request = requestFor('thief');
    const named = { ...request.machine, spec: { providerID: 'virtual:///uid-m' } };
    await expect(driver.deleteMachine({ ...request, machine: named })).rejects.toMatchObject({
      code: 'FailedPrecondition',
    });
    expect(store.seen('uid-m')).toBeDefined();
  });

  test('needs no good providerSpec', async () => {
    const { driver, store } = driverOf();
    await driver.createMachine(requestFor('m'));
    await driver.deleteMachine(requestFor('m', { bad: true } as VirtualSpec));
    expect(store.seen('uid-m')).toBeUndefined();
  });
});

describe('initializeMachine', () => {
  test('lets a VM boot that waits for it, once', async () => {
    const { driver, clock, store } = driverOf();
    const request = requestFor('m', { initialize: true });
    await driver.createMachine(request);
    await expect(driver.getMachineStatus?.(request)).rejects.toMatchObject({
      code: 'Uninitialized',
      known: { providerID: 'virtual:///uid-m', nodeName: 'm' },
    });
    await driver.initializeMachine?.(request);
    await clock.advance(1_000);
    await driver.initializeMachine?.(request);
    expect(store.seen('uid-m')?.initialized).toBe(BORN);
    expect(await driver.getMachineStatus?.(request)).toMatchObject({ providerID: 'virtual:///uid-m' });
  });

  test('changes nothing about any other VM', async () => {
    const { driver, store } = driverOf();
    await driver.createMachine(requestFor('m'));
    expect(await driver.initializeMachine?.(requestFor('m'))).toMatchObject({ nodeName: 'm' });
    expect(store.seen('uid-m')?.initialized).toBeUndefined();
  });

  test('answers NotFound when there is no VM', async () => {
    await expect(driverOf().driver.initializeMachine?.(requestFor('m'))).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('updateMachine', () => {
  const update = async (applied: VirtualSpec) => {
    const { driver, store } = driverOf();
    await driver.createMachine(requestFor('m', { tags: { team: 'blue', cost: '7' }, node: { os: 'linux' } }));
    await store.update('uid-m', { tags: { byOthers: 'yes' } }, requestFor('m').signal);
    const request = requestFor('m', { tags: { team: 'red' }, heartbeat: '3s', node: { os: 'windows' } });
    await driver.updateMachine?.({ ...request, applied });
    return store.seen('uid-m');
  };

  test('brings tags to the class’s values and leaves those of others', async () => {
    expect((await update({ tags: { team: 'blue', cost: '7' } }))?.tags).toEqual({ team: 'red', byOthers: 'yes' });
  });

  test('takes no tag off that is not on record', async () => {
    expect((await update({}))?.tags).toEqual({ team: 'red', cost: '7', byOthers: 'yes' });
  });

  test('shows in the status what the VM has', async () => {
    const { driver, store } = driverOf();
    const request = requestFor('m', { tags: { team: 'blue' }, heartbeat: '3s', node: { os: 'linux' } });
    await driver.createMachine(request);
    await store.update('uid-m', { tags: { byOthers: 'yes', team: null } }, request.signal);
    expect(await driver.getMachineStatus?.(request)).toMatchObject({
      hot: { heartbeat: '3s', tags: { byOthers: 'yes' } },
    });
  });

  test('changes hot fields only', async () => {
    expect((await update({}))?.spec).toMatchObject({ heartbeat: '3s', node: { os: 'linux' } });
  });

  test('answers NotFound when there is no VM', async () => {
    const request = { ...requestFor('m'), applied: {} };
    await expect(driverOf().driver.updateMachine?.(request)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('A fault', () => {
  test('of a code fails the call, and nothing happens', async () => {
    const { driver, store } = driverOf();
    const request = requestFor('m', struck({ method: 'createMachine', answer: 'ResourceExhausted' }));
    await expect(driver.createMachine(request)).rejects.toMatchObject({
      code: 'ResourceExhausted',
      message: 'createMachine of herd/m fails because the providerSpec says so',
    });
    expect(store.seen('uid-m')).toBeUndefined();
  });

  test('with effect loses the answer only', async () => {
    const { driver, store } = driverOf();
    const request = requestFor('m', struck({ method: 'createMachine', answer: 'Unavailable', effect: true }));
    await expect(driver.createMachine(request)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(store.seen('uid-m')).toBeDefined();
  });

  test('that hangs answers when the call is given up, not before', async () => {
    const { driver, clock } = driverOf();
    const given = new AbortController();
    const request = { ...requestFor('m', struck({ answer: 'Hang' })), signal: given.signal };
    const call = followed(driver.createMachine(request));
    await clock.advance(3_600_000);
    expect(call.state).toBe('waits');
    given.abort();
    await clock.advance(0);
    expect(call.state).toBe('DeadlineExceeded');
    expect(clock.pending).toBe(0);
  });

  test('of Uninitialized tells of the VM all the same', async () => {
    const { driver } = driverOf();
    const request = requestFor('m', struck({ method: 'getMachineStatus', times: 1, answer: 'Uninitialized' }));
    await driver.createMachine(request);
    await expect(driver.getMachineStatus?.(request)).rejects.toMatchObject({
      code: 'Uninitialized',
      known: { providerID: 'virtual:///uid-m', nodeName: 'm' },
    });
    expect(await driver.getMachineStatus?.(request)).toMatchObject({ nodeName: 'm' });
  });
});
