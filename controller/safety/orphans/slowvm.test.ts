import { describe, expect, test } from 'bun:test';
import { machine, node } from '../../../test/fixtures/objects.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { bench, LOST, MINUTE } from './vmsweep.fixture.ts';

// hack/decisions/0051 L33

/** An orphan with a Node, in a cloud that answers a deletion at once, and takes so many minutes for it. */
function slowCloud(minutes: number, changes: Parameters<typeof bench>[0] = {}) {
  const stage = bench(changes);
  const { world, nodes, clock, sweeper } = stage;
  world.node = node({ metadata: { name: 'lost', uid: 'u-lost' }, spec: { providerID: LOST.providerID } });
  nodes.reset([world.node], '1');
  let goneAt = Infinity;
  world.deletion = async () => {
    goneAt = Math.min(goneAt, clock.now() + minutes * MINUTE);
    return {};
  };
  const isThere = () => clock.now() < goneAt;
  world.list = async () => (isThere() ? [LOST] : []);
  const { status } = world;
  world.status = async () => (isThere() ? LOST : status());
  /** Sweeps a quarter of an hour apart, in which time passes in small steps, so that sleeps are seen. */
  const sweeps = async (times: number) => {
    for (let sweep = 0; sweep < times; sweep++) {
      await sweeper.sweep('herd/small');
      for (let at = 0; at < 90; at++) await clock.advance(10_000);
    }
  };
  return { ...stage, sweeps };
}

describe('the Node of an orphan goes with its VM', () => {
  test.each([[5], [12], [20]])('if that takes %i minutes', async (minutes) => {
    const { sweeps, world } = slowCloud(minutes);
    await sweeps(8);
    expect(world.removedNodes).toEqual(['lost u-lost']);
    expect(world.events.filter((event) => event.includes('OrphanedVMDeleted'))).toHaveLength(1);
  });

  test.each<[string, 'Unavailable' | 'PermissionDenied']>([
    ['in the same wait if that passes', 'Unavailable'],
    ['at the next sweep if not', 'PermissionDenied'],
  ])('although the cloud once did not say whether it is gone: %s', async (_what, code) => {
    const { sweeps, world } = slowCloud(1);
    const { status } = world;
    let asked = 0;
    world.status = () => (asked++ === 0 ? Promise.reject(new DriverError(code, 'not now')) : status());
    await sweeps(2);
    expect(world.removedNodes).toEqual(code === 'Unavailable' ? ['lost u-lost'] : []);
    await sweeps(1);
    expect(world.removedNodes).toEqual(['lost u-lost']);
    expect(world.asked).toHaveLength(1);
  });

  test('although the target did not take that at first', async () => {
    const { sweeps, world } = slowCloud(1);
    const { get } = world.targetApi;
    let asked = 0;
    world.targetApi.get = () => (asked++ === 0 ? Promise.reject(new Error('away')) : get());
    await sweeps(3);
    expect(world.removedNodes).toEqual(['lost u-lost']);
    expect(world.events.filter((event) => event.includes('OrphanedVMDeleted'))).toHaveLength(1);
  });

  test('not before the driver says so: that a list does not show it is not enough', async () => {
    const { sweeps, world } = slowCloud(20);
    await sweeps(2);
    world.list = async () => [];
    await sweeps(1);
    expect(world.removedNodes).toEqual([]);
    await sweeps(1);
    expect(world.removedNodes).toEqual(['lost u-lost']);
  });

  test('not while an API server is unreachable', async () => {
    const gate = { judgesFrom: 0 };
    const { sweeps, world } = slowCloud(12, { gates: { of: () => gate } });
    await sweeps(2);
    Object.assign(gate, { shut: { unreachable: 'target', since: 0 } });
    await sweeps(2);
    expect(world.removedNodes).toEqual([]);
    Object.assign(gate, { shut: undefined });
    await sweeps(1);
    expect(world.removedNodes).toEqual(['lost u-lost']);
  });

  test('not where a Machine has it by now', async () => {
    const { sweeps, world } = slowCloud(12);
    await sweeps(2);
    world.live = [machine({ spec: { providerID: LOST.providerID } })];
    await sweeps(2);
    expect(world.removedNodes).toEqual([]);
  });

  test('not where its class has gone', async () => {
    const { sweeps, world, parts, sweeper } = slowCloud(12);
    await sweeps(2);
    const classes = parts.classes.list();
    parts.classes.reset([], '2');
    await sweeper.sweep('herd/small');
    parts.classes.reset(classes, '3');
    await sweeps(2);
    expect(world.removedNodes).toEqual([]);
  });
});
