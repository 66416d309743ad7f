import { expect, test } from 'bun:test';
import { CacheRoom } from '../runtime/memory/cacheroom.ts';
import { apiError } from './calls.fake.ts';
import { NO_ROOM } from './claims.ts';
import { attachment, benchDrain, podOn } from './drains.fixture.ts';

/** hack/decisions/0028 T74: what an API server says of each pod and claim of its many Nodes was kept for as long as a drain lasted, and counted nowhere. */

const COUNT = 10;
const MESSAGE = 'x'.repeat(500);

/** A drain of pods, each with a claim, whose API server refuses everything at length; it may take so many bytes. */
async function refused(bytes: number) {
  const bench = benchDrain();
  const rooms = new CacheRoom({ all: bytes, each: bytes, shared: false });
  Object.assign(bench.target, { room: rooms.open('herd') });
  for (let at = 0; at < COUNT; at++) bench.target.pods.put(podOn(`p-${at}`));
  const causes = [{ reason: 'DisruptionBudget', message: MESSAGE }];
  bench.server.onCall = (call) => {
    if (call.startsWith('evict')) throw apiError(429, 'TooManyRequests', { causes });
  };
  for (let at = 0; at < 2 * COUNT; at++) {
    await bench.run();
    await bench.clock.advance(20_000);
  }
  const memory = bench.drains.known(bench.request.uid);
  const reasons = [...(memory?.pods.values() ?? [])].map(({ answer }) => answer?.reason);
  return { ...bench, rooms, memory, reasons };
}

test('what is said of pods is counted where their target is, until the drain is over', async () => {
  const { rooms, reasons, drains, request, look } = await refused(1 << 20);
  look();
  expect(new Set(reasons)).toEqual(new Set([MESSAGE]));
  expect(rooms.taken).toBeGreaterThan(COUNT * MESSAGE.length);
  drains.forget(request.uid);
  expect(rooms.taken).toBe(0);
});

test('where there is no room for it something shorter is said of all, and they are asked as before', async () => {
  const { rooms, reasons, look } = await refused(4_000);
  look();
  expect(reasons).toContain(NO_ROOM);
  expect(rooms.taken).toBeLessThanOrEqual(4_000);
  expect(look().pods.every(({ answer }) => answer?.result === 'Refused')).toBe(true);
});

test('so are claims: without room their volumes are known by their names alone', async () => {
  const { drains, request, target, clock, look } = benchDrain();
  const rooms = new CacheRoom({ all: 1_000, each: 1_000, shared: false });
  Object.assign(target, { room: rooms.open('herd') });
  target.pods.put(podOn('p', { claim: 'c' }));
  target.attachments.put(attachment('pv'));
  const { claims } = drains.of(request);
  claims.lookUp('shop/c', async () => ({ name: 'pv', id: 'i'.repeat(1_000), followed: true }));
  await clock.advance(0);
  look();
  expect(claims.of('shop/c')).toEqual({ at: 'known', volume: { name: 'pv', followed: true } });
  expect(rooms.taken).toBeGreaterThan(0);
});

test('of a target in the place of that of before, it counts there', async () => {
  const { drains, request, target, look } = await refused(1 << 20);
  const rooms = new CacheRoom({ all: 1 << 20, each: 1 << 20, shared: false });
  const before = target.room;
  Object.assign(target, { room: rooms.open('herd') });
  look();
  expect(rooms.taken).toBeGreaterThan(COUNT * MESSAGE.length);
  expect(before?.account('drains').used).toBe(0);
  drains.forget(request.uid);
  expect(rooms.taken).toBe(0);
});

test('a volume that nobody waits for any longer is forgotten once it has come off', () => {
  const { drains, request, target, look } = benchDrain();
  target.attachments.reset([attachment('v')], '1');
  const { late } = drains.of(request);
  for (const volume of ['v', 'w']) late.add(volume);
  look();
  expect([...late]).toEqual(['v']);
});
