import { expect, test } from 'bun:test';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { loopOf } from '../../runtime/queue/loop.fixture.ts';
import type { Result } from '../../runtime/queue/loop.ts';
import { Queue } from '../../runtime/queue/queue.ts';
import { flowOfKey } from '../../state/fairshares.ts';
import { LISTS, sweepInLanes } from './setup.ts';

// hack/decisions/0028 O20b

const HANG_MS = 300_000;

/** A driver's sweeps; those of namespaces that begin with `slow` hang. Tells when each ended, milliseconds. */
function sweeping(isShared: boolean) {
  const clock = new FakeClock();
  const queue = new Queue({ clock, flowOf: flowOfKey });
  const began = clock.monotonic();
  const ended = new Map<string, number>();
  let open = 0;
  let most = 0;
  const sweep = (key: string) =>
    new Promise<Result>((answer) => {
      most = Math.max(most, ++open);
      clock.after(key.startsWith('slow') ? HANG_MS : 1_000, () => {
        open -= 1;
        ended.set(key, clock.monotonic() - began);
        answer({});
      });
    });
  const enqueue = (key: string) => queue.add(key);
  const reconcile = sweepInLanes({ clock, isShared, enqueue }, { serves: (key) => key !== 'other/s', sweep });
  loopOf(reconcile, { clock, queue, workers: LISTS });
  return { clock, queue, ended, most: () => most };
}

test('classes whose lists hang hold up no other namespace, and have their turn', async () => {
  const { clock, queue, ended, most } = sweeping(true);
  for (let at = 0; at < 30; at++) queue.add(`slow${at % 2}/${at}`);
  await clock.advance(1);
  for (let at = 0; at < 10; at++) queue.add(`quick/${at}`);
  await clock.advance(20_000);
  expect([...ended.keys()].filter((key) => key.startsWith('quick')).length).toBe(10);
  for (let at = 0; at < 10; at++) await clock.advance(HANG_MS);
  expect(ended.size).toBe(40);
  expect(most()).toBeWithin(4, LISTS);
});

test('the classes of the only namespace are swept as many at a time as there are lists', async () => {
  const { clock, queue, ended, most } = sweeping(false);
  for (let at = 0; at < 20; at++) queue.add(`slow/${at}`);
  await clock.advance(3 * HANG_MS);
  expect([ended.size, most()]).toEqual([20, LISTS]);
});

test('a class of another driver waits for nothing', async () => {
  const { clock, queue, ended } = sweeping(true);
  for (let at = 0; at < 4; at++) queue.add(`slow/${at}`);
  queue.add('other/s');
  await clock.advance(1_000);
  expect([...ended.keys()]).toEqual(['other/s']);
});
