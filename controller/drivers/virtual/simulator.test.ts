import { afterEach, describe, expect, test } from 'bun:test';
import { ApiError } from '../../runtime/client/api.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { leases, nodes } from '../../runtime/k8s/core.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { seededRandom } from '../../runtime/random.ts';
import { onlyTarget } from '../sdk/targets.fixture.ts';
import { memoryStore } from './memory.ts';
import { Sites } from './sites.ts';
import type { VmStore } from './store.ts';
import { FakeTarget } from './target.fake.ts';
import { vmWith } from './virtual.fixture.ts';
import type { Vm } from './vm.ts';

let stop = new AbortController();
afterEach(() => stop.abort(new Error('the test is over')));

const quiet = { heartbeat: '0s' };
const signal = new AbortController().signal;

/** A simulator that runs on a fake clock; stores and targets may outlive it. */
async function simulate({
  clock = new FakeClock(),
  store = memoryStore(),
  target = new FakeTarget(),
  joins = true,
} = {}) {
  stop = new AbortController();
  const log = new FakeLog();
  const metrics = createMetrics({ tables: [] });
  const parts = {
    store,
    api: target.api,
    targets: onlyTarget(joins ? target : undefined),
    clock,
    random: seededRandom(1),
    log,
    metrics,
  };
  await new Sites(parts).start(stop.signal);
  return { clock, store, target, log };
}

const create = (store: VmStore, changes: Partial<Vm> = {}) => store.create(vmWith({ spec: quiet, ...changes }), signal);
const readyOf = (target: FakeTarget, name = 'm') => {
  const node = target.all(nodes).find(({ metadata }) => metadata.name === name);
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready && `${ready.status} ${ready.reason}`;
};

describe('A VM without latencies', () => {
  test('costs one Node and the removal of one taint, among a thousand, and nothing after that', async () => {
    const { clock, store, target } = await simulate();
    const names = Array.from({ length: 1000 }, (_, n) => `m${n}`);
    for (const name of names) await create(store, { uid: `uid-${name}`, nodeName: name, machine: `herd/${name}` });
    for (let step = 0; step < 600; step++) await clock.advance(100);
    const expected = names.flatMap((name) => [`create nodes ${name}`, `patch nodes ${name}`]);
    expect(target.writes.toSorted()).toEqual(expected.toSorted());
    expect(target.all(nodes).flatMap(({ spec }) => spec?.taints ?? [])).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('registers a Node that is Ready, with its address and identity', async () => {
    const { clock, store, target } = await simulate();
    await create(store, { node: { labels: { zone: 'a' }, capacity: { cpu: '2' } } });
    await clock.advance(0);
    expect(target.all(nodes)[0]).toMatchObject({
      metadata: { name: 'm', labels: { 'kubernetes.io/hostname': 'm', zone: 'a' } },
      spec: { providerID: 'virtual:///uid-m' },
      status: {
        addresses: [
          { type: 'InternalIP', address: '10.0.0.1' },
          { type: 'Hostname', address: 'm' },
        ],
        capacity: { cpu: '2' },
        allocatable: { cpu: '2' },
      },
    });
    expect(readyOf(target)).toBe('True KubeletReady');
    expect(target.all(nodes)[0]?.metadata.labels).not.toHaveProperty('kubernetes.io/os');
  });
});

describe('Time', () => {
  test('passes between creation, boot and join, and the store shows it', async () => {
    const { clock, store, target } = await simulate();
    const spec = { ...quiet, latency: { create: '1s', boot: '2s', join: '4s' } };
    await create(store, { spec, state: 'Creating' });
    const seen: string[] = [];
    for (const ms of [0, 999, 1, 1_999, 1, 3_999, 1]) {
      await clock.advance(ms);
      seen.push(`${store.seen('uid-m')?.state} ${target.all(nodes).length}`);
    }
    expect(seen).toEqual(['Creating 0', 'Creating 0', 'Booting 0', 'Booting 0', 'Running 0', 'Running 0', 'Running 1']);
  });

  test('goes on where it was when the process is another', async () => {
    const spec = { ...quiet, latency: { boot: '10s' } };
    const first = await simulate();
    await create(first.store, { spec, state: 'Booting' });
    await first.clock.advance(6_000);
    stop.abort(new Error('the first process ends'));
    const second = await simulate(first);
    await second.clock.advance(3_999);
    expect(second.target.all(nodes)).toHaveLength(0);
    await second.clock.advance(1);
    expect(readyOf(second.target)).toBe('True KubeletReady');
  });
});

describe('A Node', () => {
  test('that somebody deleted comes back after a moment', async () => {
    const { clock, store, target } = await simulate();
    await create(store);
    await clock.advance(10_000);
    target.drop(nodes, { name: 'm' });
    await clock.advance(999);
    expect(target.all(nodes)).toHaveLength(0);
    await clock.advance(1);
    expect(readyOf(target)).toBe('True KubeletReady');
  });

  test('that another has already is left alone, until its name is free', async () => {
    const { clock, store, target, log } = await simulate();
    target.put(nodes, { metadata: { name: 'm' }, spec: { providerID: 'aws:///i-1' } });
    await create(store);
    await clock.advance(60_000);
    expect(target.writes).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    target.drop(nodes, { name: 'm' });
    await clock.advance(1_000);
    expect(readyOf(target)).toBe('True KubeletReady');
  });

  test('that could not be registered is tried again', async () => {
    const { clock, store, target } = await simulate();
    target.onWrite = () => {
      throw new Error('connection refused');
    };
    await create(store);
    await clock.advance(100);
    target.onWrite = () => {};
    await clock.advance(60_000);
    expect(target.writes).toEqual(['create nodes m', 'patch nodes m']);
  });

  test('is asked for again every few seconds while the cluster does not answer', async () => {
    const { clock, store, target, log } = await simulate();
    let tries = 0;
    target.onWrite = () => {
      tries++;
      throw new ApiError('no answer', { status: 0, reason: 'NetworkError', mayHaveActed: true });
    };
    await create(store);
    await clock.advance(60_000);
    expect(tries).toBeGreaterThan(24);
    expect(tries).toBeLessThan(38);
    expect(log.lines).toEqual([]);
  });

  test('that registers while its VM is being deleted is taken back', async () => {
    const { clock, store, target } = await simulate();
    target.onWrite = (write) => void (write === 'create nodes m' && store.delete('uid-m', signal));
    await create(store);
    await clock.advance(60_000);
    expect(target.writes).toEqual(['create nodes m', 'delete nodes m']);
    expect(target.all(nodes)).toEqual([]);
  });
});

describe('A heart-beat', () => {
  test('renews the Lease of the Node at its interval', async () => {
    const { clock, store, target } = await simulate();
    await create(store, { spec: { heartbeat: '3s' } });
    await clock.advance(0);
    expect(target.all(leases)[0]).toMatchObject({
      metadata: { name: 'm', namespace: 'kube-node-lease', ownerReferences: [{ kind: 'Node', name: 'm' }] },
      spec: { holderIdentity: 'm', leaseDurationSeconds: 12, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    await clock.advance(2_999);
    target.writes.length = 0;
    await clock.advance(6_001);
    expect(target.writes).toEqual(Array(3).fill('patch leases m'));
    expect(target.all(leases)[0]?.spec?.renewTime).toBe('2026-01-01T00:00:09.000000Z');
  });

  test('makes a Node Ready again that a node life-cycle controller gave up', async () => {
    const { clock, store, target } = await simulate();
    await create(store, { spec: { heartbeat: '3s' } });
    await clock.advance(2_000);
    const [node] = target.all(nodes);
    target.put(nodes, {
      ...node,
      metadata: { name: 'm' },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    });
    await clock.advance(3_000);
    expect(readyOf(target)).toBe('True KubeletReady');
  });

  test('ends with its VM, and the Lease goes', async () => {
    const { clock, store, target } = await simulate();
    await create(store, { spec: { heartbeat: '3s' } });
    await clock.advance(2_000);
    await store.delete('uid-m', signal);
    await clock.advance(60_000);
    expect(target.all(leases)).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('whose VM was deleted by a process that died leaves no Lease either', async () => {
    const first = await simulate();
    await create(first.store, { spec: { heartbeat: '3s' } });
    await first.clock.advance(2_000);
    stop.abort(new Error('the first process ends'));
    await first.store.delete('uid-m', signal);
    const second = await simulate(first);
    await second.clock.advance(0);
    expect(second.target.all(leases)).toEqual([]);
  });
});

describe('A VM that vanished', () => {
  test('leaves its Node, which is not Ready any more', async () => {
    const { clock, store, target } = await simulate();
    await create(store);
    await clock.advance(10_000);
    await store.lose('uid-m', signal);
    await clock.advance(60_000);
    expect(readyOf(target)).toBe('Unknown VirtualMachineGone');
    expect(target.writes).toEqual(['create nodes m', 'patch nodes m', 'patch nodes m']);
  });

  test('while nobody looked is found at the next start', async () => {
    const first = await simulate();
    await create(first.store);
    await first.clock.advance(10_000);
    stop.abort(new Error('the first process ends'));
    await first.store.lose('uid-m', signal);
    const second = await simulate(first);
    await second.clock.advance(0);
    expect(readyOf(second.target)).toBe('Unknown VirtualMachineGone');
  });

  test('by a fault does so at its moment', async () => {
    const { clock, store } = await simulate();
    await create(store, { spec: { ...quiet, faults: { vms: [{ fate: 'Vanishes', after: '30s' }] } } });
    await clock.advance(29_999);
    expect(store.seen('uid-m')).toBeDefined();
    await clock.advance(1);
    expect(store.seen('uid-m')).toBeUndefined();
  });

  test('is not one that was deleted: nothing is written to that one’s Node', async () => {
    const { clock, store, target } = await simulate();
    await create(store);
    await clock.advance(10_000);
    target.writes.length = 0;
    await store.delete('uid-m', signal);
    await clock.advance(60_000);
    expect(target.writes).toEqual([]);
  });
});

describe('A broken VM', () => {
  const broken = (store: VmStore, now: boolean) => {
    const vm = store.seen('uid-m');
    return vm && Object.assign(vm, { broken: now }) && store.update('uid-m', {}, signal);
  };

  test('is silent until it is whole again', async () => {
    const { clock, store, target } = await simulate();
    await create(store, { spec: { heartbeat: '3s' } });
    await clock.advance(4_000);
    await broken(store, true);
    await clock.advance(0);
    expect(readyOf(target)).toBe('Unknown VirtualMachineBroken');
    target.writes.length = 0;
    await clock.advance(60_000);
    expect(target.writes).toEqual([]);
    await broken(store, false);
    await clock.advance(0);
    expect(readyOf(target)).toBe('True KubeletReady');
    expect(target.writes).toEqual(['patch nodes m', 'patch leases m']);
  });
});

test('Without a cluster to join, VMs live on, and nothing is asked or written there', async () => {
  const { clock, store, target } = await simulate({ joins: false });
  await create(store, { spec: {} });
  await clock.advance(60_000);
  expect(store.seen('uid-m')?.state).toBe('Running');
  expect(target.writes).toEqual([]);
});
