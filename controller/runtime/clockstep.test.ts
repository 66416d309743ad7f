import { describe, expect, test } from 'bun:test';
import { FakeClock } from './clock.fake.ts';
import { Deadline, systemClock, wallOf } from './clock.ts';
import { tokenBucket } from './fairness/rate.ts';
import { Reach } from './health/probe.ts';
import { isUnreachable } from './health/probestate.ts';
import { FakeLog } from './observability/log.fake.ts';
import { Queue } from './queue/queue.ts';

/** hack/decisions/0028 R5: durations do not hang on the wall clock. */
const HOUR_MS = 3_600_000;
const STEPS = [
  ['back', -HOUR_MS],
  ['forward', HOUR_MS],
] as const;

describe.each(STEPS)('the wall clock is set %s by an hour:', (_, byMs) => {
  test('a key that is due in 5 s is handed out after 5 s', async () => {
    const clock = new FakeClock();
    const queue = new Queue({ clock });
    queue.add('a', { after: 5_000 });
    const waits: number[] = [];
    void queue.get().then((item) => waits.push(item?.waitedMs ?? -1));
    clock.step(byMs);
    await clock.advance(4_999);
    expect(waits).toEqual([]);
    await clock.advance(1);
    expect(waits).toEqual([0]);
  });

  test('a ready key does not age, nor lose its age', () => {
    const clock = new FakeClock();
    const queue = new Queue({ clock });
    queue.add('a');
    clock.step(byMs);
    expect(queue.oldestReadyMs()).toBe(0);
  });

  test('a call with a deadline of 30 s ends after 30 s', async () => {
    const clock = new FakeClock();
    const { signal } = new Deadline({ clock, ms: 30_000, reason: () => 'late' });
    clock.step(byMs);
    await clock.advance(29_999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  test('a limiter neither saves up nor stops', async () => {
    const clock = new FakeClock();
    const limiter = tokenBucket({ clock, qps: 1, burst: 1 });
    await limiter.take();
    clock.step(byMs);
    let taken = 0;
    for (let calls = 0; calls < 3; calls++) void limiter.take().then(() => taken++);
    await clock.advance(0);
    expect(taken).toBe(0);
    await clock.advance(1_000);
    expect(taken).toBe(1);
  });
});

/** A server that always answers, and a cache that hears of it each second and is listed anew at once. */
function answering(clock: FakeClock, options: { probeMs?: number } = {}) {
  const cache = {
    fed: true,
    get heardAt() {
      return clock.monotonic();
    },
    listedAt: clock.monotonic(),
    renew: () => {
      cache.listedAt = clock.monotonic();
      renewals.push(clock.monotonic());
    },
  };
  const renewals: number[] = [];
  const log = new FakeLog();
  const probe = () => clock.sleep(options.probeMs ?? 0);
  const reach = new Reach({
    clock,
    log,
    probe,
    name: 'control',
    unreachableAfterMs: 30_000,
    periodMs: 10_000,
    from: 0,
  });
  reach.need(cache);
  const life = new AbortController();
  void reach.run(life.signal);
  return { reach, renewals, log, [Symbol.dispose]: () => life.abort() };
}

describe.each(STEPS)('the wall clock is set %s by an hour, and a server that answers', (_, byMs) => {
  test('counts as away at once, until it was listed anew; then clocks begin anew', async () => {
    const clock = new FakeClock();
    using scene = answering(clock);
    await clock.advance(25_000);
    expect(scene.reach.fact()).toEqual({ backSince: 0 });
    clock.step(byMs);
    const steppedAt = clock.now();
    expect(isUnreachable(scene.reach.fact(), clock.now(), 30_000)).toBe(true);
    expect(scene.reach.fact()).toMatchObject({ backSince: steppedAt, steppedAt });
    await clock.advance(10_000);
    const { unreachableSince, backSince } = scene.reach.fact();
    expect([unreachableSince, scene.renewals.length]).toEqual([undefined, 1]);
    expect(backSince).toBeGreaterThanOrEqual(steppedAt);
    expect(backSince).toBeLessThanOrEqual(clock.now());
  });

  test('counts so also if the clock is set while it is probed', async () => {
    const clock = new FakeClock();
    using scene = answering(clock, { probeMs: 2_000 });
    await clock.advance(13_000);
    clock.step(byMs);
    await clock.advance(1_000);
    expect(isUnreachable(scene.reach.fact(), clock.now(), 30_000)).toBe(true);
    await clock.advance(20_000);
    expect(scene.reach.fact().unreachableSince).toBeUndefined();
    expect(scene.renewals).toHaveLength(1);
  });

  test('tells whoever follows it, once, and is as before once the clock is set right again', async () => {
    const clock = new FakeClock();
    using scene = answering(clock);
    await clock.advance(25_000);
    clock.step(byMs);
    await clock.advance(60_000);
    clock.step(-byMs);
    await clock.advance(60_000);
    const { unreachableSince, backSince } = scene.reach.fact();
    expect(unreachableSince).toBeUndefined();
    expect(clock.now() - backSince).toBeLessThanOrEqual(60_000);
    const told = scene.log.lines.filter(({ message }) => message.startsWith('the clock was set'));
    expect(told.map(({ fields }) => fields?.['byMs'])).toEqual([byMs, -byMs]);
  });
});

test('a clock that is set by less than a blip changes nothing, but such steps add up', async () => {
  const clock = new FakeClock();
  using scene = answering(clock);
  for (let steps = 1; steps <= 3; steps++) {
    clock.step(10_000);
    await clock.advance(10_000);
    expect(scene.reach.fact()).toEqual({ backSince: 0 });
  }
  clock.step(10_000);
  expect(scene.reach.fact().steppedAt).toBe(clock.now());
});

test('a moment of the monotonic clock goes along with the wall clock', async () => {
  const clock = new FakeClock();
  const moment = clock.monotonic();
  await clock.advance(5_000);
  clock.step(HOUR_MS);
  expect(wallOf(clock, moment)).toBe(clock.now() - 5_000);
  expect(Number.isInteger(systemClock.monotonic())).toBe(true);
});
