import { describe, expect, test } from 'bun:test';
import { BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { benchDrain, podOn } from '../../drain/drains.fixture.ts';
import { callsFor } from '../../machine/calls/inflight.fixture.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { Census } from '../../safety/meltdown/census.ts';
import { DriverError } from './errors.ts';

/** hack/decisions/0028 R5: what a process remembers lasts as long as it would, whatever the wall clock shows. */
const HOUR_MS = 3_600_000;

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('the clock is set %s by an hour:', (_, byMs) => {
  const call = { uid: 'u', key: 'herd/m', classKey: 'small', method: 'getMachineStatus', mark: '1' } as const;

  test('a call that failed is made again when it would have been', async () => {
    const clock = new FakeClock(BORN);
    const { calls } = callsFor({ clock });
    const failure = new DriverError('ResourceExhausted', 'no room');
    calls.start({ ...call, run: () => Promise.reject(failure) });
    await clock.advance(0);
    const left = () => (calls.fact(call).failure?.retryAt ?? 0) - clock.now();
    const before = left();
    clock.step(byMs);
    expect(left()).toBe(before);
    await clock.advance(1_000);
    expect(left()).toBe(before - 1_000);
  });

  test('a VM that is missing has been so for as long as before, and a call that flies has taken as long', async () => {
    const clock = new FakeClock(BORN);
    const { calls } = callsFor({ clock });
    calls.start({ ...call, run: () => Promise.resolve(undefined) });
    await clock.advance(5_000);
    calls.start({ ...call, run: () => new Promise(() => {}) });
    await clock.advance(2_000);
    clock.step(byMs);
    const vm = calls.vm('u');
    expect([
      vm.at === 'absent' && clock.now() - vm.since,
      clock.now() - (calls.fact(call).inFlight?.since ?? 0),
    ]).toEqual([7_000, 2_000]);
  });

  test('a pod that may not leave yet is asked again when it would have been', async () => {
    const { run, server, target, clock } = benchDrain();
    target.pods.put(podOn('a'));
    await run();
    clock.step(byMs);
    await clock.advance(15_000);
    await run();
    expect(server.calls).toEqual(['evict shop/a']);
    await clock.advance(15_000);
    await run();
    expect(server.calls).toEqual(['evict shop/a', 'evict shop/a']);
  });

  test('an outage of a zone is over after two minutes', async () => {
    const clock = new FakeClock(BORN);
    let ill = 9;
    const list = () =>
      Array.from({ length: 10 }, (_one, n) =>
        inPhase(n < ill ? 'Unknown' : 'Running', 0, { metadata: { uid: `${n}` } }),
      );
    const census = new Census({
      machines: { list },
      placeOf: () => ({ cluster: '', zone: 'a' }),
      limits: { outagePercent: 55, budget: { percent: 10 } },
      clock,
      log: new FakeLog(),
    });
    const reason = () => census.holdFor(list()[0] as never)?.reason;
    expect(reason()).toBe('ZoneOutage');
    ill = 1;
    await clock.advance(10_000);
    expect(reason()).toBe('ZoneRecovering');
    clock.step(byMs);
    await clock.advance(110_000);
    expect(reason()).toBe('ZoneRecovering');
    await clock.advance(20_000);
    expect(reason()).toBeUndefined();
  });
});
