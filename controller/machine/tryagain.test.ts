import { describe, expect, test } from 'bun:test';
import { type Code, DriverError } from '../drivers/sdk/errors.ts';
import { failing, Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L2

const TIMEOUT_S = 1_190;

/** Seconds between calls. */
const gaps = (times: readonly number[] = []): number[] =>
  times.slice(1).map((time, index) => time - (times[index] ?? 0));

async function creationFails(code: Code) {
  const life = new Life({ createMachine: failing(code, (count) => `no room in zone a (request id: ${count}-x)`) });
  const codes = new Set<string | undefined>();
  for (let second = 0; second < TIMEOUT_S; second += 10) {
    await life.pass(10);
    const { lastOperation, currentStatus } = (await life.machine()).status ?? {};
    codes.add(`${currentStatus?.phase} ${lastOperation?.errorCode}`);
  }
  return { life, codes: [...codes] };
}

describe('a creation that fails is tried again with back-off (hack/decisions/0000 6)', () => {
  test('from 5 seconds to 3 minutes where that passes by itself', async () => {
    const { life } = await creationFails('Unavailable');
    const waits = gaps(life.called['createMachine']);
    for (const [index, wait] of waits.slice(0, 5).entries()) expect(wait / 5 / 2 ** index).toBeWithin(0.79, 1.3);
    expect(Math.max(...waits)).toBeWithin(144, 182);
    expect(waits.length).toBeWithin(8, 14);
    expect(life.called['getMachineStatus']?.length).toBe(waits.length + 1);
  });

  test.each(['ResourceExhausted', 'InvalidArgument'] as const)('after 10 minutes where it is %s', async (code) => {
    const { life } = await creationFails(code);
    expect(gaps(life.called['createMachine']).map(Math.round)).toEqual([600]);
  });

  test.each(['Unavailable', 'ResourceExhausted', 'InvalidArgument'] as const)(
    'and told once, whatever number the cloud puts into the words of %s',
    async (code) => {
      const { life, codes } = await creationFails(code);
      expect(codes).toEqual([`CrashLoopBackOff ${code}`]);
      expect(life.events).toEqual([code]);
      expect(life.writes).toBe(1);
      expect((await life.machine()).status?.lastOperation?.description).toEndWith('(request id: 1-x)');
    },
  );

  test('at once when the Machine changes', async () => {
    const life = new Life({ createMachine: failing('InvalidArgument') });
    await life.pass(60);
    await life.change({ spec: { nodeConditions: 'Broken' } });
    await life.pass(10);
    expect(life.called['createMachine']?.map(Math.floor)).toEqual([0, 60]);
  });

  test('while a question that fails meanwhile is nothing but a question that fails', async () => {
    let isAway = false;
    const life = new Life({
      createMachine: failing('ResourceExhausted'),
      getMachineStatus: () => Promise.reject(new DriverError(isAway ? 'Unavailable' : 'NotFound', 'no')),
    });
    await life.pass(590);
    isAway = true;
    await life.pass(30);
    expect((await life.machine()).status?.lastOperation?.errorCode).toBe('Unavailable');
    isAway = false;
    await life.pass(60);
    expect((await life.machine()).status?.lastOperation?.errorCode).toBe('ResourceExhausted');
    expect(life.called['createMachine']?.length).toBe(2);
  });

  test('until the VM is found that it made all the same', async () => {
    let isMade = false;
    const life = new Life({
      createMachine: async () => {
        isMade = true;
        throw new DriverError('DeadlineExceeded', 'no answer');
      },
      getMachineStatus: async () => {
        if (!isMade) throw new DriverError('NotFound', 'none');
        return VM;
      },
    });
    await life.pass(10);
    await life.register();
    await life.pass(1_800);
    expect(life.phases.map((phase) => phase.split(' ')[0])).toEqual(['CrashLoopBackOff', 'Pending', 'Running']);
    expect(life.called['createMachine']?.length).toBe(1);
  });
});

test('an initialization that fails has a back-off of its own', async () => {
  const life = new Life({ initializeMachine: failing('Unavailable', () => 'no') });
  await life.pass(60);
  await life.register();
  await life.pass(3 * 3_600);
  const waits = gaps(life.called['initializeMachine']);
  expect(Math.min(...waits.slice(-10))).toBeGreaterThan(140);
});

test('a creation that failed is none of the deletion’s', async () => {
  const life = new Life({ createMachine: failing('ResourceExhausted') });
  await life.pass(60);
  await life.change({
    metadata: { annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup': 'me' } },
  });
  await life.remove();
  await life.pass(60);
  const { lastOperation } = (await life.machine()).status ?? {};
  expect(lastOperation).toMatchObject({ type: 'Delete', state: 'Processing', description: 'Initiate VM deletion' });
  expect(lastOperation?.errorCode).toBeUndefined();
});
