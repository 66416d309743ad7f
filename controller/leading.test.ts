import { expect, test } from 'bun:test';
import { clocksFrom } from './leading.ts';
import { FakeClock } from './runtime/clock.fake.ts';

const clock = new FakeClock();
const now = clock.now();
const settings = { machineSafetyApiserverStatuscheckTimeout: 30_000 };

test.each([
  ['go on when the one before led until now', now - 20_000, 0],
  ['go on when its clock was a little ahead', now + 20_000, 0],
  ['begin anew when nobody led for a while', now - 31_000, now],
  ['begin anew when that cannot be told', now + 300_000, now],
  ['begin anew when nobody ever led, or nobody is elected', undefined, now],
])('clocks of machines %s', (_what, heldBefore, from) => {
  const lead = heldBefore === undefined ? {} : { heldBefore };
  expect(clocksFrom({ clock, settings } as never, lead)).toBe(from);
});
