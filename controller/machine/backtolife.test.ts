import { describe, expect, test } from 'bun:test';
import type { Driver } from '../drivers/sdk/driver.ts';
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

/** A machine that runs, is deleted, and is as it was before that, by a backup; its Node is back as well, and takes pods. */
async function broughtBack(deleteMachine: Driver['deleteMachine'], lookS: number): Promise<Life> {
  const life = new Life({ ...cloudOf(VM), deleteMachine });
  await life.pass(5);
  await life.register();
  await life.pass(60);
  const restore = await life.backup();
  life.refuse = (write) => (write.includes('"finalizers"') ? { status: 403, message: 'stay' } : undefined);
  await life.remove();
  await life.pass(20);
  await restore();
  await life.removeNode();
  await life.register();
  await life.clock.advance(3_000);
  if (lookS > 0) await life.pass(lookS);
  life.sent.length = 0;
  return life;
}

// hack/decisions/0051 L121
test.each<[string, () => Promise<object>]>([
  ['had failed', () => Promise.reject(new DriverError('Unavailable', 'no'))],
  ['had been answered', async () => ({})],
])('so it is where it is deleted again before it was looked at: its deletion %s', async (_what, answer) => {
  const life = await broughtBack(answer, 0);
  await life.remove();
  await life.pass(20);
  expect(life.sent.filter(isCordon)).toHaveLength(1);
});

describe('a deletion of its VM that is in flight when it lives again', () => {
  test('is told to give up', async () => {
    let isAborted = false;
    const life = await broughtBack(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            isAborted = true;
            reject(signal.reason);
          });
        }),
      60,
    );
    expect([(await life.machine()).status?.currentStatus?.phase, isAborted]).toEqual(['Running', true]);
  });

  test('is none of the next one, which drains the Node', async () => {
    let end = () => {};
    const life = await broughtBack(
      () =>
        new Promise((_, reject) => {
          end = () => reject(new DriverError('Unavailable', 'no'));
        }),
      10,
    );
    await life.remove();
    end();
    await life.pass(20);
    expect(life.sent.filter(isCordon)).toHaveLength(1);
  });
});
