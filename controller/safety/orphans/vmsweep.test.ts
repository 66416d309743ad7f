import { describe, expect, test } from 'bun:test';
import { machine, machineClass, node } from '../../../test/fixtures/objects.ts';
import type { Driver } from '../../drivers/sdk/driver.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import type { FakeLog } from '../../runtime/observability/log.fake.ts';
import { bench, LOST, MINUTE } from './vmsweep.fixture.ts';

describe('an orphan', () => {
  test('goes in its second sweep, by nothing but its name and identity', async () => {
    const { sweeps, world } = bench();
    await sweeps(1);
    expect(world.asked).toEqual([]);
    await sweeps(1);
    expect(world.asked).toMatchObject([
      {
        machine: { metadata: { name: 'm', namespace: 'herd' }, spec: { providerID: 'virtual:///lost' } },
        token: 'orphan virtual:///lost',
        class: { metadata: { name: 'small' } },
        incarnation: 'here',
      },
    ]);
    expect(world.events).toEqual(['small OrphanedVMDeleted VM virtual:///lost (m), which has no Machine, is deleted']);
  });

  test('is spared when the API server knows a Machine that the cache does not (hack/spec/mcm.md 13.3)', async () => {
    const { sweeps, world } = bench();
    await sweeps(1);
    world.live = [machine()];
    await sweeps(1);
    expect(world.asked).toEqual([]);
    expect(world.counts).toContain('drover_orphaned_vm_deletions_total spared');
  });

  test('that is spared keeps no other from going, however few may go in one sweep (hack/decisions/0051 S17)', async () => {
    const { sweeps, world } = bench({ limits: { policy: 'delete', graceMs: 10 * MINUTE, apartMs: MINUTE, most: 1 } });
    world.vms = [LOST, { ...LOST, providerID: 'virtual:///next', machineName: 'n' }];
    world.live = [machine()];
    await sweeps(3);
    expect(world.asked.map(({ machine: { metadata } }) => metadata.name)).toEqual(['n']);
  });

  test('is spared when the API server does not answer', async () => {
    const { sweeps, world } = bench({
      api: { list: () => Promise.reject(new Error('no answer')) } as never,
    });
    await sweeps(3);
    expect(world.asked).toEqual([]);
    expect(world.events[0]).toBe(
      'small OrphanedVMDeletionFailed VM virtual:///lost (m), which has no Machine, was not deleted: Unknown: no answer',
    );
  });

  test('takes its Node along only when the driver no longer knows the VM (hack/decisions/0055)', async () => {
    const { sweeps, nodes, world, clock } = bench();
    world.node = node({ metadata: { name: 'lost', uid: 'u-lost' }, spec: { providerID: 'virtual:///lost' } });
    nodes.reset([world.node], '1');
    const { status } = world;
    world.status = async () => LOST;
    await sweeps(2, MINUTE);
    expect([world.asked.length, world.removedNodes, world.events]).toEqual([1, [], []]);
    await sweeps(1, MINUTE);
    expect(world.asked.length).toBe(1);
    world.status = status;
    await clock.advance(MINUTE);
    expect(world.removedNodes).toEqual(['lost u-lost']);
  });

  test('that stays although its deletion was accepted is told of, and tried again', async () => {
    const { sweeps, world } = bench();
    world.status = async () => LOST;
    await sweeps(3);
    expect(world.asked.length).toBe(2);
    expect(world.events[0]).toContain('OrphanedVMDeletionFailed');
    expect(world.events[0]).toContain('says that it is still there');
  });

  test('takes its Node along, and only the one of its providerID (hack/spec/mcm.md 13.17)', async () => {
    const { sweeps, nodes, world } = bench();
    world.node = node({ metadata: { name: 'lost', uid: 'u-lost' }, spec: { providerID: 'virtual:///lost' } });
    nodes.reset([world.node, node()], '1');
    await sweeps(2);
    expect(world.removedNodes).toEqual(['lost u-lost']);
    expect(world.events.at(-1)).toContain('OrphanedNodeDeleted');
  });

  test('leaves a Node alone that is of another VM by now', async () => {
    const { sweeps, nodes, world } = bench();
    nodes.reset([node({ spec: { providerID: 'virtual:///lost' } })], '1');
    world.node = node({ spec: { providerID: 'virtual:///new' } });
    await sweeps(2);
    expect(world.removedNodes).toEqual([]);
  });

  test('that the driver does not delete is tried again in the next sweep, after all others', async () => {
    const other = { ...LOST, providerID: 'virtual:///other' };
    const limits = { policy: 'delete', graceMs: 0, apartMs: MINUTE, most: 1 } as const;
    const { sweeps, world } = bench({ limits });
    world.vms = [LOST, other];
    world.deletion = () => Promise.reject(new DriverError('Internal', 'no'));
    await sweeps(4);
    expect(world.asked.map(({ machine: { spec } }) => spec.providerID?.slice(11))).toEqual(['lost', 'other', 'lost']);
  });

  test('whose deletion goes on is not deleted once more', async () => {
    const { sweeps, world } = bench();
    world.deletion = () => new Promise(() => {});
    await sweeps(2, MINUTE);
    await sweeps(3, MINUTE);
    expect(world.asked.length).toBe(1);
  });

  test('that is only reported is told of once, in log and event', async () => {
    const limits = { policy: 'report', graceMs: 0, apartMs: MINUTE, most: 10 } as const;
    const { sweeps, world, parts } = bench({ limits });
    await sweeps(5);
    expect(world.asked).toEqual([]);
    expect(world.events).toEqual([
      'small OrphanedVMFound VM virtual:///lost (m), which has no Machine, stays: reported',
    ]);
    expect((parts.log as FakeLog).lines.filter(({ message }) => message.startsWith('an orphan stays')).length).toBe(1);
  });
});

describe('a sweep', () => {
  test('while an API server is unreachable deletes nothing, and says once what it would (hack/spec/mcm.md 13.2)', async () => {
    const shut = { unreachable: 'target' as const, since: 0 };
    const { sweeps, world, parts } = bench({ gates: { of: () => ({ shut, judgesFrom: 0 }) } });
    await sweeps(4);
    expect(world.asked).toEqual([]);
    const said = (parts.log as FakeLog).lines.filter(({ message }) => message.endsWith('are held'));
    expect(said.length).toBe(1);
  });

  test('shows in the class how it went, and does not hang on that', async () => {
    const { sweeps, world } = bench();
    await sweeps(2);
    const conditions = [
      { type: 'OrphanSweepSucceeded', status: 'True' },
      { type: 'VMDeletionVerified', status: 'True' },
    ];
    expect(world.statuses[0]).toMatchObject({ name: 'small', conditions });
    expect(world.asked.length).toBe(1);
  });

  test.each<[string, Parameters<typeof bench>[0]]>([
    ['that has no method for it', { driver: { name: 'virtual' } as Driver }],
    ['that does not serve its methods', { isMute: () => true }],
  ])('shows in the class that a driver cannot tell how a VM stands: one %s (0055)', async (_what, changes) => {
    const { sweeps, world } = bench(changes);
    await sweeps(1);
    const verified = { type: 'VMDeletionVerified', status: 'False', reason: 'StatusNotSupported' };
    expect(world.statuses[0]).toMatchObject({ conditions: [{ type: 'OrphanSweepSucceeded' }, verified] });
  });

  test('whose list fails proves nothing, and comes back in ten minutes', async () => {
    const { sweeper, world } = bench();
    world.list = () => Promise.reject(new DriverError('Unavailable', 'no'));
    const { after = 0 } = await sweeper.sweep('herd/small');
    expect(after).toBeGreaterThan(8 * MINUTE);
    expect(after).toBeLessThan(12 * MINUTE);
    expect(world.counts).toEqual(['drover_orphan_sweeps_total ListFailed']);
  });

  test('needs the Secrets of its class', async () => {
    const { sweeper, parts, world } = bench();
    parts.classes.reset([machineClass({ metadata: { resourceVersion: '2' }, secretRef: { name: 's' } })], '2');
    await sweeper.sweep('herd/small');
    expect(world.counts).toEqual(['drover_orphan_sweeps_total SecretNotFound']);
  });

  test('tells once of a VM of another installation that has the name of a Machine here', async () => {
    const { sweeper, sweeps, parts, world } = bench();
    parts.machines.reset([machine()], '2');
    const owner = { installation: 'before', namespace: 'herd', name: 'm', uid: 'before' };
    const others = {
      ...LOST,
      incarnation: 'before',
      owner: { ...owner, name: 'other' },
      providerID: 'virtual:///other',
    };
    world.vms = [{ ...LOST, incarnation: 'before', owner }, others];
    await sweeps(3);
    expect(sweeper.serves('herd/small')).toBe(true);
    expect(world.asked).toEqual([]);
    expect(world.events).toEqual([
      expect.stringContaining('small VMOfAnotherInstallationFound herd/m: VM virtual:///lost was made for'),
    ]);
  });

  // hack/decisions/0051 L19
  test('reads no Secret of another namespace (hack/decisions/0028 W3)', async () => {
    const { sweeper, parts, world } = bench();
    parts.classes.reset(
      [machineClass({ metadata: { resourceVersion: '2' }, secretRef: { name: 's', namespace: 'victim' } })],
      '2',
    );
    parts.secrets.reset([{ metadata: { name: 's', namespace: 'victim' } }], '2');
    await sweeper.sweep('herd/small');
    expect(world.counts).toEqual(['drover_orphan_sweeps_total RefNotPermitted']);
    expect(world.asked).toEqual([]);
  });

  test('is none where the driver has no list', async () => {
    const { sweeper, world } = bench({ driver: { name: 'virtual' } as never });
    expect((await sweeper.sweep('herd/small')).after).toBeUndefined();
    expect(world.counts).toEqual(['drover_orphan_sweeps_total ListNotSupported']);
  });

  test('of a class of another driver is none', async () => {
    const { sweeper, world, parts } = bench();
    parts.classes.reset([machineClass({ metadata: { resourceVersion: '2' }, provider: 'other' })], '2');
    expect(await sweeper.sweep('herd/small')).toEqual({});
    expect(world.counts).toEqual([]);
  });

  test('rests as long as it could be no second sighting', async () => {
    const { sweeper, sweeps } = bench();
    expect(sweeper.restOf('herd/small')).toBe(0);
    await sweeps(1, 20_000);
    expect(sweeper.restOf('herd/small')).toBe(40_000);
  });
});

test('two classes that list the same VM delete it once', async () => {
  const { sweeper, parts, world, clock } = bench();
  world.deletion = () => new Promise(() => {});
  parts.classes.reset([machineClass(), machineClass({ metadata: { name: 'large', uid: 'large' } })], '2');
  for (const key of ['herd/small', 'herd/large']) await sweeper.sweep(key);
  await clock.advance(15 * MINUTE);
  for (const key of ['herd/small', 'herd/large']) await sweeper.sweep(key);
  await clock.advance(0);
  expect(world.asked.length).toBe(1);
});
