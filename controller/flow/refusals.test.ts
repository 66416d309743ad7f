import { afterEach, expect, spyOn, test } from 'bun:test';
import { RefusedActions, RefusedChildren } from './refusals.ts';

// hack/decisions/0028 T69: each of 3,000 refusals of one batch went through all others first.

const drops = spyOn(RefusedActions.prototype, 'drop');
afterEach(() => drops.mockClear());

const refused = (refusals: RefusedChildren, action: string, now: number) =>
  refusals.add('ns/pool', action, { isJudged: true, told: { reason: 'FailedUpdate', message: action }, now });

test('what is remembered of a refusal goes through no others', () => {
  const refusals = new RefusedChildren();
  for (let at = 0; at < 30; at++) refused(refusals, `mark m-${at}`, 1_000);
  expect(drops).not.toHaveBeenCalled();
  expect(refusals.at('ns/pool', 1_000).size).toBe(30);
});

test('what is over for long is dropped, and what is recent stays', () => {
  const refusals = new RefusedChildren();
  refused(refusals, 'mark old', 0);
  refused(refusals, 'mark new', 60_000);
  refusals.dropOld('ns/pool', 120_000);
  const counts = ['mark old', 'mark new'].map((action) => refusals.streakOf('ns/pool', action, 100_000).count);
  expect(counts).toEqual([0, 1]);
  expect(refusals.at('ns/pool', 0).has('mark old')).toBe(false);
});

test('of an owner of which nothing was refused there is nothing to drop', () => {
  const refusals = new RefusedChildren();
  refusals.dropOld('ns/other', 0);
  expect(refusals.at('ns/other', 0).size).toBe(0);
});
