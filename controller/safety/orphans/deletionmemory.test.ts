import { describe, expect, test } from 'bun:test';
import { node } from '../../../test/fixtures/objects.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { DeletionMemory } from './deletionmemory.ts';
import { orphanMetrics } from './metrics.ts';
import { bench, LOST, MINUTE } from './vmsweep.fixture.ts';

/** hack/decisions/0028 T76: a cloud may be its user's, and show VMs without a Machine that nobody can delete, ever new ones. */

const vm = (at: number) => ({ ...LOST, providerID: `virtual:///v${at}` });
const ids = (vms: ReadonlyArray<{ providerID: string }>) => vms.map(({ providerID }) => providerID.slice(-2));

describe('of deletions is remembered', () => {
  test('who was not deleted for as long as lists show him', () => {
    const memory = new DeletionMemory();
    for (const one of [1, 1, 2]) memory.setBack(vm(one));
    expect(ids(memory.inOrder([vm(1), vm(2), vm(3)]))).toEqual(['v3', 'v2', 'v1']);
    expect(ids(memory.inOrder([vm(2)]))).toEqual(['v2']);
    expect(ids(memory.inOrder([vm(1), vm(2), vm(3)]))).toEqual(['v1', 'v3', 'v2']);
  });

  test('which were answered, until they are over, the latest thousand', () => {
    const memory = new DeletionMemory();
    for (let at = 0; at < 1_500; at++) memory.answer(vm(at), at % 2 === 0);
    expect([memory.answered().length, memory.has(vm(499)), memory.has(vm(500))]).toEqual([1_000, false, true]);
    expect([memory.isTold(vm(500)), memory.isTold(vm(501)), memory.isTold(vm(0))]).toEqual([true, false, false]);
    memory.over(vm(500));
    expect([memory.answered().length, memory.has(vm(500))]).toEqual([999, false]);
  });
});

test('of a class that goes nothing is shown any longer', async () => {
  const metrics = createMetrics({ tables: [orphanMetrics] });
  const { sweeps, parts, sweeper } = bench({ metrics });
  await sweeps(2);
  expect(await metrics.text()).toContain('class="herd/small"');
  parts.classes.reset([], '2');
  await sweeper.sweep('herd/small');
  expect(await metrics.text()).not.toContain('class="herd/small"');
});

test('of all Nodes of a target those with the id of the VM alone are looked at', async () => {
  const { sweeps, nodes, world } = bench();
  world.node = node({ metadata: { name: 'lost', uid: 'u-lost' }, spec: { providerID: LOST.providerID } });
  nodes.reset([world.node], '1');
  nodes.list = () => {
    throw new Error('they are 200,000');
  };
  await sweeps(2);
  expect(world.removedNodes).toEqual(['lost u-lost']);
});

// hack/decisions/0051 L81: the note of such a class had it swept every minute, for as long as its cloud shows a VM that is to go
test('a class that is held for VMs which may come is swept the more seldom the longer that is over', async () => {
  const { sweeper, parts, world, clock } = bench();
  const [one] = parts.classes.list();
  if (!one) throw new Error('there is no class');
  const status = { vmExpectedUntil: new Date(clock.now()).toISOString() };
  parts.classes.reset([{ ...one, status }], '2');
  world.vms = [{ ...LOST, created: clock.now() + 1_000 * MINUTE }];
  const restAfter = async (minutes: number) => {
    await clock.advance(minutes * MINUTE);
    return Math.round(((await sweeper.sweep('herd/small')).after ?? 0) / MINUTE);
  };
  expect([await restAfter(0), await restAfter(10), await restAfter(10), await restAfter(40)]).toEqual([10, 1, 1, 5]);
  expect(await restAfter(600)).toBeGreaterThan(10);
});
