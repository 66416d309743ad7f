import { expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L109

/** A cloud that tells of a VM late, and deletes one by its id alone: what it was to delete without one it answers well. */
function late(unnamed: () => Promise<object> = async () => ({})) {
  const cloud = { isMade: false, isTold: false, namedAt: [] as number[] };
  const methods: Partial<Driver> = {
    createMachine: async () => {
      cloud.isMade = true;
      throw new DriverError('DeadlineExceeded', 'no answer');
    },
    deleteMachine: async ({ machine }) => {
      if (machine.spec?.providerID !== VM.providerID) return unnamed();
      cloud.isMade = false;
      cloud.namedAt.push(life.clock.now());
      return {};
    },
    getMachineStatus: async () => {
      if (!cloud.isMade || !cloud.isTold) throw new DriverError('NotFound', 'there is no such VM');
      return VM;
    },
  };
  const life: Life = new Life(methods, { hasTarget: false });
  return { life, cloud };
}

test.each<[string, number]>([
  ['soon after the deletion was answered', 1],
  ['a minute after it', 60],
  ['while the machine is about to go', 560],
])('a VM that comes to light %s goes by its id, and the machine with it', async (_when, afterS) => {
  const { life, cloud } = late();
  await life.pass(2);
  await life.remove();
  await life.pass(afterS);
  expect((await life.left()).machine).toBe(true);
  cloud.isTold = true;
  await life.pass(120);
  expect({ isMade: cloud.isMade, named: cloud.namedAt.length, ...(await life.left()) }).toEqual({
    isMade: false,
    named: 1,
    machine: false,
    node: false,
  });
});

// hack/decisions/0051 L122
test.each<Code>(['InvalidArgument', 'Unavailable'])(
  'so it is with a driver whose deletions without an id fail (%s)',
  async (code) => {
    const { life, cloud } = late(() => Promise.reject(new DriverError(code, 'which VM?')));
    await life.pass(2);
    await life.remove();
    await life.pass(30);
    cloud.isTold = true;
    await life.pass(3_600);
    expect([cloud.isMade, (await life.left()).machine]).toEqual([false, false]);
  },
);
