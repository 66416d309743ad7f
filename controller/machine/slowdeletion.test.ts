import { describe, expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';

// hack/decisions/0055

/** A cloud that answers a deletion at once, and takes so many seconds for it. */
function slow(takesMs: number, says: (ms: number) => Code | undefined = () => undefined) {
  const vm = { isMade: false, goneAt: Infinity, deletedAt: Infinity };
  const methods: Partial<Driver> = {
    createMachine: async () => {
      vm.isMade = true;
      return VM;
    },
    deleteMachine: async () => {
      vm.deletedAt = Math.min(vm.deletedAt, life.clock.now());
      vm.goneAt = vm.deletedAt + takesMs;
      return {};
    },
    getMachineStatus: async () => {
      const code = says(life.clock.now() - vm.deletedAt);
      if (code) throw new DriverError(code, 'the cloud says so');
      if (!vm.isMade || life.clock.now() >= vm.goneAt) throw new DriverError('NotFound', 'there is no such VM');
      return VM;
    },
  };
  const life: Life = new Life(methods, { hasTarget: false });
  return life;
}

/** Has a machine run, deletes it, and answers when it was seen to be gone: seconds since then. */
async function gone(life: Life, { most = 900, ageS = 700 } = {}): Promise<{ after: number; asked: number }> {
  await life.pass(ageS);
  const before = life.called['getMachineStatus']?.length ?? 0;
  await life.remove();
  for (let after = 1; after < most; after++) {
    await life.pass(1);
    if (!(await life.left()).machine) return { after, asked: (life.called['getMachineStatus']?.length ?? 0) - before };
  }
  return { after: Infinity, asked: (life.called['getMachineStatus']?.length ?? 0) - before };
}

describe('a machine goes', () => {
  test('with its VM, at the price of one question', async () => {
    const life = slow(0);
    expect(await gone(life)).toEqual({ after: expect.any(Number), asked: 1 });
    expect(life.called['deleteMachine']?.length).toBe(1);
  });

  test('a while after a young one of which a cloud may not tell yet, at the price of one more', async () => {
    const { after, asked } = await gone(slow(0), { ageS: 30 });
    expect(after).toBeWithin(10, 14);
    expect(asked).toBe(2);
  });

  test('when its VM has gone, however long that takes, with few questions', async () => {
    const life = slow(300_000);
    const { after, asked } = await gone(life);
    expect(after).toBeWithin(300, 362);
    expect(asked).toBeLessThan(12);
    expect(life.called['deleteMachine']?.length).toBe(1);
  });

  test('after a deletion that the cloud forgot was asked for once more', async () => {
    const life = slow(Infinity);
    const { after } = await gone(life, { most: 700 });
    expect(after).toBe(Infinity);
    expect(life.called['deleteMachine']?.length).toBe(2);
    const { status } = await life.machine();
    expect(status?.currentStep).toMatchObject({ name: 'VMDeleted', reason: 'VMTerminating' });
    expect(status?.lastOperation).toMatchObject({
      type: 'Delete',
      state: 'Processing',
      description: 'Initiate VM deletion',
    });
  });

  test('not while nobody can say whether its VM has gone', async () => {
    const life = slow(0, (ms) => (ms >= 0 && ms < 120_000 ? 'Unavailable' : undefined));
    expect((await gone(life)).after).toBeWithin(120, 300);
  });

  test('that is told in one write while the VM is on its way out', async () => {
    const life = slow(60_000);
    await gone(life, { most: 10 });
    const { writes } = life;
    await life.pass(40);
    expect(life.writes).toBe(writes);
  });
});
