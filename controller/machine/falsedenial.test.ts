import { describe, expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import type { Heard } from '../model/target.ts';
import { type Beside, Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L32, L34, L35

const denial = () => new DriverError('NotFound', 'there is no such VM');

/** A cloud that denies its VM until a moment, whatever it is asked. */
function forgetful(beside: Beside = {}) {
  const cloud = { isMade: false, deniedUntil: 0, deletions: 0 };
  const known = () => {
    if (!cloud.isMade || life.clock.now() < cloud.deniedUntil) throw denial();
  };
  const methods: Partial<Driver> = {
    createMachine: async () => {
      cloud.isMade = true;
      return VM;
    },
    getMachineStatus: async () => {
      known();
      return VM;
    },
    deleteMachine: async () => {
      cloud.deletions++;
      known();
      cloud.isMade = false;
      return {};
    },
  };
  const life: Life = new Life(methods, beside);
  const deny = (seconds: number) => {
    cloud.deniedUntil = life.clock.now() + seconds * 1_000;
  };
  return { cloud, life, deny };
}

describe('a VM that lives, and is denied when it is to be deleted', () => {
  test('goes before its Node and its machine', async () => {
    const { cloud, life, deny } = forgetful();
    await life.pass(30);
    await life.register();
    await life.pass(900);
    deny(13);
    await life.remove();
    await life.pass(12);
    expect(await life.left()).toEqual({ machine: true, node: true });
    await life.pass(108);
    expect([cloud.isMade, await life.left()]).toEqual([false, { machine: false, node: false }]);
  });

  test('goes before its machine where there is no target', async () => {
    const { cloud, life, deny } = forgetful({ hasTarget: false });
    await life.pass(900);
    deny(55);
    await life.remove();
    await life.pass(120);
    expect([cloud.isMade, await life.left()]).toEqual([false, { machine: false, node: false }]);
  });

  test('keeps both for as long as the Lease of its Node is renewed', async () => {
    const heard = (): Heard => ({ livedAt: life.clock.now() - 20_000 });
    const { cloud, life, deny } = forgetful({ heartbeats: { isSilent: () => !cloud.isMade, heard: () => heard() } });
    await life.pass(30);
    await life.register();
    await life.pass(900);
    deny(3_600);
    await life.remove();
    await life.pass(3_500);
    expect([cloud.isMade, await life.left()]).toEqual([true, { machine: true, node: true }]);
    const { status } = await life.machine();
    expect(status?.currentStep?.message).toContain('the Lease of its Node is renewed');
    await life.pass(240);
    expect([cloud.isMade, await life.left()]).toEqual([false, { machine: false, node: false }]);
  });
});

test('a VM that was deleted by others, whose Node is still Ready, keeps its machine for a minute', async () => {
  const { cloud, life } = forgetful();
  await life.pass(30);
  await life.register();
  await life.pass(900);
  cloud.isMade = false;
  await life.remove();
  await life.pass(64);
  expect(await life.left()).toEqual({ machine: false, node: false });
  expect(cloud.deletions).toBe(2);
});

test('a VM that went with its Node keeps neither Node nor machine', async () => {
  const { cloud, life } = forgetful();
  await life.pass(30);
  await life.register();
  await life.pass(60);
  cloud.isMade = false;
  await life.register({ status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
  await life.pass(11);
  expect(life.phases.at(-1)).toStartWith('Failed');
  await life.remove();
  await life.pass(5);
  expect(await life.left()).toEqual({ machine: false, node: false });
});

/** A cloud that took the order, tells of the VM a while later, and whose driver says so when it is told to give up. */
function cutOff(says: Code | 'what it was told') {
  const cloud = { visibleAt: Infinity, isGone: false };
  const known = () => {
    if (cloud.isGone || life.clock.now() < cloud.visibleAt) throw denial();
  };
  const methods: Partial<Driver> = {
    createMachine: ({ signal }) => {
      cloud.visibleAt = life.clock.now() + 60_000;
      const why = () => (says === 'what it was told' ? signal.reason : new DriverError(says, 'context canceled'));
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(why())));
    },
    getMachineStatus: async () => {
      known();
      return VM;
    },
    deleteMachine: async () => {
      known();
      cloud.isGone = true;
      return {};
    },
  };
  const life: Life = new Life(methods, { hasTarget: false });
  return { cloud, life };
}

// hack/decisions/0051 L75
test.each(['what it was told', 'Unknown', 'Canceled', 'Internal'] as const)(
  'a VM of which the cloud tells late, and whose creation was told to give up, goes before its machine, if the driver says %s',
  async (says) => {
    const { cloud, life } = cutOff(says);
    await life.pass(5);
    await life.remove();
    await life.pass(50);
    expect(await life.left()).toMatchObject({ machine: true });
    await life.pass(100);
    expect([cloud.isGone, await life.left()]).toEqual([true, { machine: false, node: false }]);
  },
);

test('a machine with namesakes, whose id was lost, goes when the driver was asked once more to delete by its token', async () => {
  let vms = 0;
  const life: Life = new Life(
    {
      createMachine: async () => {
        vms = 3;
        throw new DriverError('DeadlineExceeded', 'late');
      },
      getMachineStatus: async () => {
        if (vms > 1) throw new DriverError('OutOfRange', `${vms} VMs are named m`);
        throw denial();
      },
      deleteMachine: async () => {
        vms = 2;
        return {};
      },
    },
    { hasTarget: false },
  );
  await life.pass(60);
  await life.remove();
  await life.pass(500);
  expect((await life.left()).machine).toBe(true);
  await life.pass(120);
  expect((await life.left()).machine).toBe(false);
  expect(life.called['deleteMachine']).toHaveLength(2);
});
