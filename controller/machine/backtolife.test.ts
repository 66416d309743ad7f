import { describe, expect, test } from 'bun:test';
import { DriverError } from '../drivers/sdk/errors.ts';
import { Life, VM } from './life.fixture.ts';
import { cloudOf } from './lifecloud.fixture.ts';

/** A cloud whose VM stays, whatever is answered to its deletion. */
const cloud = (answer: () => Promise<object>) => ({
  ...cloudOf(VM),
  deleteMachine: answer,
  retainMachine: async () => void (await answer()),
});

const isCordon = (write: string) => write.includes('"unschedulable":true');

// hack/decisions/0051 L117
describe('a machine that was being deleted, and lives again by a restored backup, is deleted later as any other:', () => {
  test.each<[string, () => Promise<object>, object]>([
    ['its deletion had been answered', async () => ({}), {}],
    ['its deletion had failed', () => Promise.reject(new DriverError('Unavailable', 'no')), {}],
    ['it was to be retained', async () => ({}), { spec: { deletionPolicy: 'Retain' } }],
    [
      'that it is retained had failed',
      () => Promise.reject(new DriverError('Unavailable', 'no')),
      { spec: { deletionPolicy: 'Retain' } },
    ],
  ])('%s', async (_what, answer, change) => {
    const life = new Life(cloud(answer));
    await life.pass(5);
    await life.register();
    await life.pass(60);
    const restore = await life.backup();
    life.refuse = (write) => (write.includes('"finalizers"') ? { status: 403, message: 'stay' } : undefined);
    await life.change(change);
    await life.remove();
    await life.pass(20);
    expect([life.called['deleteMachine'], life.called['retainMachine']].some(Boolean)).toBe(true);
    await restore();
    await life.pass(30);
    expect((await life.machine()).status?.currentStatus?.phase).toBe('Running');
    life.sent.length = 0;
    const deletions = life.called['deleteMachine']?.length ?? 0;
    await life.remove();
    await life.pass(20);
    expect(life.sent.filter(isCordon)).toHaveLength(1);
    expect(life.called['deleteMachine']?.length ?? 0).toBeGreaterThan(deletions);
  });
});
