import { expect, test } from 'bun:test';
import { machine, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { makeCaches } from './caches.ts';
import { SLOW_LOOK_MS } from './gathering.ts';
import { Urgency } from './urgency.ts';
import { addEventHandlers } from './watches.ts';

// hack/decisions/0063: where the API server is busy, a set told of its machines one by one, and made it busier.

const set = machineSet();
const key = `${set.metadata.namespace}/${set.metadata.name}`;

/** A set that is looked at for so long, milliseconds, and then has news of a machine: how long it waits for more. */
async function waitsAfter(lookMs: readonly number[]): Promise<number> {
  const clock = new FakeClock();
  const caches = makeCaches(new FakeLog());
  caches.sets.put(set);
  const [machines, deployments] = [new Queue({ clock }), new Queue({ clock })];
  const sets = new Queue({ clock, slowMs: SLOW_LOOK_MS });
  addEventHandlers(caches, { machines, sets, deployments, urgency: new Urgency(caches.classes) });
  for (const ms of lookMs) {
    sets.add(key);
    await sets.get();
    await clock.advance(ms);
    sets.done(key);
  }
  const start = clock.monotonic();
  caches.machines.put(machine({ metadata: { ownerReferences: [ownedBy(set, 'MachineSet')] } }));
  let looked: number | undefined;
  void sets.get().then(() => {
    looked = clock.monotonic() - start;
  });
  for (let ms = 0; looked === undefined && ms <= 2_000; ms += 10) await clock.advance(ms === 0 ? 0 : 10);
  return looked ?? Infinity;
}

test.each<[what: string, lookMs: readonly number[], waitsMs: number]>([
  ['that was never looked at waits for a moment', [], 50],
  ['whose looks are quick waits no longer', [10], 50],
  ['waits for four times as long as its last look took', [40], 160],
  ['waits for a second at the most', [5_000], 1_000],
  ['whose last look was quick waits for a moment again', [400, 5], 50],
])('an owner %s', async (_what, lookMs, waitsMs) => {
  expect(await waitsAfter(lookMs)).toBe(waitsMs);
});

test('news that comes first says when it is looked at: what comes later puts nothing off', async () => {
  const clock = new FakeClock();
  const queue = new Queue({ clock, slowMs: SLOW_LOOK_MS });
  queue.add(key);
  await queue.get();
  queue.add(key, { after: 50 });
  await clock.advance(300);
  queue.done(key);
  expect(queue.tookMs(key)).toBe(300);
  expect(queue.oldestReadyMs()).toBe(0);
  expect(await queue.get()).toMatchObject({ key, waitedMs: 0 });
});

test('of keys that nobody asks of any more no more than the latest are remembered', async () => {
  const clock = new FakeClock();
  const queue = new Queue({ clock, slowMs: SLOW_LOOK_MS });
  const keys = Array.from({ length: 10_001 }, (_, at) => `herd/${at}`);
  for (const one of keys) queue.add(one);
  for (const _ of keys) await queue.get();
  await clock.advance(100);
  for (const one of keys) queue.done(one);
  expect([queue.tookMs('herd/0'), queue.tookMs('herd/1'), queue.tookMs('herd/10000')]).toEqual([0, 100, 100]);
});
