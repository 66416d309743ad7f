import { describe, expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L67

/** A cloud that tells of a VM from some seconds on after its creation was asked for, here or by the process before, and deletes what it tells of. */
function late(
  seconds: number,
  { hasTarget = false, code, says = 'NotFound' }: { hasTarget?: boolean; code?: Code; says?: 'NotFound' | 'done' } = {},
) {
  const cloud = { visibleAt: Infinity, isGone: false };
  const known = () => {
    if (cloud.isGone || life.clock.now() < cloud.visibleAt) throw new DriverError('NotFound', 'there is no such VM');
  };
  const make = () => {
    cloud.visibleAt = life.clock.now() + seconds * 1_000;
  };
  const methods: Partial<Driver> = {
    createMachine: async () => {
      make();
      if (code) throw new DriverError(code, '500 after the fact');
      return VM;
    },
    getMachineStatus: async () => {
      known();
      return VM;
    },
    deleteMachine: async () => {
      if (says === 'NotFound') known();
      if (life.clock.now() >= cloud.visibleAt) cloud.isGone = true;
      return {};
    },
  };
  const life: Life = new Life(methods, { hasTarget });
  const ended = async () => [cloud.isGone, (await life.left()).machine];
  return { life, make, ended };
}

describe('a VM of which the cloud tells late goes before its machine', () => {
  test.each(['Unknown', 'Unavailable'] as const)('where its creation ended in %s after the fact', async (code) => {
    const { life, ended } = late(45, { code });
    await life.pass(2);
    await life.remove();
    await life.pass(40);
    expect(await ended()).toEqual([false, true]);
    await life.pass(100);
    expect(await ended()).toEqual([true, false]);
  });
});
