import { describe, expect, test } from 'bun:test';
import { machine, node } from '../../../test/fixtures/objects.ts';
import type { Heard } from '../../model/target.ts';
import { bench, LOST, MINUTE } from './vmsweep.fixture.ts';
import { Sweeper } from './vmsweep.ts';

// hack/decisions/0051 L47

const SILENT = { isSilent: () => true, heard: (): Heard => ({}) };

/** An orphan whose deletion a process begins that is then killed: before its VM is seen to go, or before its Node went with it. */
async function killed(at: 'before the deletion' | 'in its call' | 'while the VM goes' | 'before the Node goes') {
  const life = new AbortController();
  const stage = bench({ signal: life.signal });
  const { world, nodes, sweeps, clock, parts } = stage;
  world.node = node({ metadata: { name: 'lost', uid: 'u-lost' }, spec: { providerID: LOST.providerID } });
  nodes.reset([world.node], '1');
  const dies = (): Promise<never> => {
    life.abort();
    return new Promise(() => {});
  };
  const { status, deletion } = world;
  const removed = world.targetApi.delete;
  if (at === 'before the deletion' || at === 'in its call') world.deletion = dies;
  if (at === 'while the VM goes') world.status = dies;
  if (at === 'before the Node goes') world.targetApi.delete = dies;
  await sweeps(2);
  Object.assign(world, { deletion, status });
  world.targetApi.delete = async (...asked) => {
    await removed(...asked);
    nodes.reset([], '3');
  };
  world.vms = at === 'before the deletion' ? [LOST] : [];
  const target = { api: world.targetApi, nodes, cluster: undefined, heartbeats: SILENT };
  /** Another process takes over, which knows what the API servers say. */
  const successor = async (changes: Partial<typeof parts> = {}) => {
    nodes.reset(world.node ? [world.node] : [], '2');
    const targets = () => [target] as unknown as ReturnType<typeof parts.targets>;
    const next = new Sweeper({ ...parts, targets, signal: new AbortController().signal, ...changes });
    for (let sweep = 0; sweep < 3; sweep++) {
      await next.sweep('herd/small');
      await clock.advance(15 * MINUTE);
    }
    return world.removedNodes;
  };
  return { ...stage, target, successor };
}

describe('the Node of an orphan whose process was killed goes', () => {
  // The call may have done it: what it is to do is noted before (hack/decisions/0051 L89).
  test.each(['before the deletion', 'in its call', 'while the VM goes', 'before the Node goes'] as const)(
    '%s',
    async (at) => {
      const { successor, world } = await killed(at);
      expect(world.removedNodes).toEqual([]);
      expect(await successor()).toEqual(['lost u-lost']);
    },
  );

  test('also where its Lease tells nothing, if it is not Ready', async () => {
    const { successor, target, world } = await killed('while the VM goes');
    Object.assign(target, { heartbeats: undefined });
    world.node = { ...node(world.node), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    expect(await successor()).toEqual(['lost u-lost']);
  });
});

describe('the Node of an orphan whose process was killed stays', () => {
  test.each([
    ['its Lease is renewed', { isSilent: () => false, heard: (): Heard => ({}) }],
    ['nobody reads its Lease', undefined],
  ])('while it is Ready and %s', async (_what, heartbeats) => {
    const { successor, target } = await killed('while the VM goes');
    Object.assign(target, { heartbeats });
    expect(await successor()).toEqual([]);
  });

  test('while the driver says that its VM is there, which a list did not show', async () => {
    const { successor, world } = await killed('while the VM goes');
    world.status = async () => LOST;
    expect(await successor()).toEqual([]);
  });

  test('where a Machine has its VM by now', async () => {
    const { successor, world } = await killed('while the VM goes');
    world.live = [machine({ spec: { providerID: LOST.providerID } })];
    expect(await successor()).toEqual([]);
  });

  test('while an API server is unreachable', async () => {
    const { successor } = await killed('while the VM goes');
    const shut = { judgesFrom: 0, shut: { unreachable: 'target', since: 0 } } as const;
    expect(await successor({ gates: { of: () => shut } as never })).toEqual([]);
  });

  test.each([
    ['of another class', 'large'],
    ['that is no name', 'small,large'],
    ['that is none', ''],
  ])('if what is noted on it is something %s', async (_what, text) => {
    const { successor, world } = await killed('while the VM goes');
    world.node = node({ ...world.node, metadata: { annotations: { 'drover.dev/orphan-deletion': text } } });
    expect(await successor()).toEqual([]);
  });
});

test('that it could not be noted keeps no orphan', async () => {
  const { world, nodes, sweeps } = bench();
  world.node = node({ metadata: { name: 'lost' }, spec: { providerID: LOST.providerID } });
  nodes.reset([world.node], '1');
  world.targetApi.patch = () => Promise.reject(new Error('away'));
  await sweeps(2);
  expect(world.asked).toHaveLength(1);
  expect(world.removedNodes).toEqual(['lost uid-node']);
});
