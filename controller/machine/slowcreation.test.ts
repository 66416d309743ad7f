import { expect, test } from 'bun:test';
import { DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';

/** A cloud that takes so long to make a VM, and gives up at once when it is told to. */
function slow(seconds: number): Life {
  let isMade = false;
  const life: Life = new Life(
    {
      createMachine: ({ signal }) =>
        new Promise((resolve, reject) => {
          const stop = life.clock.after(seconds * 1_000, () => {
            isMade = true;
            resolve(VM);
          });
          signal.addEventListener('abort', () => {
            stop();
            reject(new DriverError('Canceled', 'context canceled'));
          });
        }),
      deleteMachine: async () => {
        isMade = false;
        return {};
      },
      getMachineStatus: async () => {
        if (!isMade) throw new DriverError('NotFound', 'there is no such VM');
        return VM;
      },
    },
    { hasTarget: false },
  );
  return life;
}

// hack/decisions/0051 L125
test.each([
  [5, 2],
  [20, 12],
  [20, 15],
  [60, 52],
])(
  'a creation that takes %p s goes on when its machine is deleted after %p s, and the machine is gone soon after',
  async (takes, after) => {
    const life = slow(takes);
    await life.pass(after);
    await life.remove();
    const from = life.clock.now();
    while ((await life.left()).machine && life.clock.now() < from + 900_000) await life.pass(1);
    expect((life.clock.now() - from) / 1_000).toBeLessThan(60);
  },
);
