import { describe, expect, test } from 'bun:test';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';
import { cloudOf } from './lifecloud.fixture.ts';

// hack/decisions/0051 L128; 0055: "By force a question that fails holds nothing"; 0039: "by force it goes on once the driver has failed to answer".

/** A machine that is deleted by force while its driver answers no question, for whatever reason, and deletes all the same. */
async function forced(code: Code, { takesOver = false, isMade = true }): Promise<Life> {
  let isAway = false;
  const cloud = cloudOf(VM);
  const life = new Life(
    {
      ...cloud,
      createMachine: async (request) => {
        if (!isMade) throw new DriverError('Internal', 'it cannot be made');
        return (await cloud.createMachine?.(request)) ?? VM;
      },
      getMachineStatus: async (request) => {
        if (isAway) throw new DriverError(code, 'no answer');
        return (await cloud.getMachineStatus?.(request)) ?? VM;
      },
    },
    { hasTarget: false },
  );
  life.backsOff = true;
  await life.pass(60);
  isAway = true;
  if (takesOver) await life.takeOver();
  await life.change({ metadata: { labels: { 'force-deletion': 'True' } } });
  await life.remove();
  await life.pass(3_600);
  return life;
}

describe.each<Code>(['PermissionDenied', 'Unavailable', 'Internal'])(
  'a machine goes by force though its driver answers questions with %s,',
  (code) => {
    test('where this process knows whose its VM is (holds)', async () => {
      expect((await (await forced(code, {})).left()).machine).toBe(false);
    });

    test('where another process took over, and a record says that it was confirmed', async () => {
      const life = await forced(code, { takesOver: true });
      expect([(await life.left()).machine, life.called['deleteMachine']?.length]).toEqual([false, 1]);
    });

    test('where its VM could not be made', async () => {
      expect((await (await forced(code, { isMade: false })).left()).machine).toBe(false);
    });
  },
);
