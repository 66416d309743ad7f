import { expect, test } from 'bun:test';
import type { TargetFact } from '../../model/target.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import type { ReachFact } from '../../runtime/health/probe.ts';
import { gatesOf } from './gate.ts';

const clock = new FakeClock();
const now = clock.now();
const reachOf = (fact: ReachFact) => ({ reach: { fact: () => fact } });
const up = reachOf({ backSince: 7 });
const away = reachOf({ unreachableSince: now - 31_000, backSince: 0 });
const opening: TargetFact = { at: 'opening', cluster: 'c', why: 'no Secret', since: 0 };

test.each<[what: string, fact: TargetFact, followed: typeof up | undefined, shut: boolean]>([
  ['has no target', { at: 'none' }, undefined, false],
  ['has one that answers', { at: 'open', target: up as never }, up, false],
  ['has one that is away', { at: 'open', target: away as never }, away, true],
  ['has one to which there is no way', opening, undefined, true],
  ['has one that was never read and does not answer', opening, away, true],
  ['has one that is read now', opening, up, false],
  ['has one that nobody waits for any more', { at: 'missing', cluster: 'c' }, away, false],
])('whoever %s is let through, or not', (_what, fact, followed, shut) => {
  const control = { fact: () => ({ backSince: 0 }) };
  const gates = gatesOf({
    control,
    targets: { of: () => fact },
    followed: () => followed as never,
    clock,
    unreachableAfterMs: 30_000,
  });
  expect(gates.of({ metadata: { name: 'm' } }).shut !== undefined).toBe(shut);
});
