import { describe, expect, test } from 'bun:test';
import { BORN } from '../../../test/fixtures/objects.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import type { CallFailure } from '../flow/view.ts';
import { isSameNews, lastKnownStateAfter, type Outcome, stableFailure } from './failures.ts';

describe('two messages say the same (hack/spec/mcm.md 6.4, "similar" status)', () => {
  test.each([
    ['when they are equal', 'no room', 'no room', true],
    ['when the id of the request differs', 'no room, request id: 7f3a-11', 'no room, request id: 91bc-02', true],
    ['when a time differs', 'throttled at 2026-01-01T00:00:00Z', 'throttled at 2026-01-01T00:00:05Z', true],
    ['when a count differs', 'quota: 11 of 10 in use', 'quota: 12 of 10 in use', true],
    ['not when a word differs', 'no such image: a', 'no such image: b', false],
    ['not when a word is more', 'no room', 'no room left', false],
  ])('%s', (_what, before, after, same) => expect(isSameNews(before, after)).toBe(same));
});

describe('a failure', () => {
  const first = (changes: Partial<CallFailure> = {}): CallFailure => ({
    method: 'createMachine',
    code: 'ResourceExhausted',
    message: 'no room (request r1)',
    retryAt: BORN + 600_000,
    permanent: false,
    ...changes,
  });
  const before = stableFailure(undefined, first(), BORN);
  const again = { message: 'no room (request r2)', retryAt: BORN + 1_200_000 };

  test.each([
    ['that only repeats itself keeps its words', again, 600_000, 'no room (request r1)'],
    ['that repeats itself for long is told anew', again, 1_800_000, 'no room (request r2)'],
    ['of another code is news', { ...again, code: 'Unavailable' }, 1, 'no room (request r2)'],
    ['of another method is news', { ...again, method: 'getMachineStatus' }, 1, 'no room (request r2)'],
    ['that says something else is news', { message: 'no quota (request r1)' }, 1, 'no quota (request r1)'],
  ] as const)('%s', (_what, changes, ms, message) => {
    const next = stableFailure(before, first(changes), BORN + ms);
    expect(next).toMatchObject({ ...changes, message });
    expect(next.reportedAt).toBe(message === before.message ? BORN : BORN + ms);
  });
});

describe('the driver’s memo (hack/spec/mcm.md 6.4a, 6.7 S4)', () => {
  const vm = { providerID: 'p', nodeName: 'n', initialized: true };
  const error = (lastKnownState?: string) =>
    new DriverError('Unavailable', 'away', lastKnownState === undefined ? {} : { known: { lastKnownState } });
  const rows: Array<[string, Outcome, string | undefined]> = [
    ['is what a creation tells', { method: 'createMachine', answer: { ...vm, lastKnownState: 'new' } }, 'new'],
    ['is kept when a creation tells nothing', { method: 'createMachine', answer: vm }, 'old'],
    ['is what the error of a creation tells', { method: 'createMachine', error: error('new'), permanent: true }, 'new'],
    ['is kept after an error that passes', { method: 'createMachine', error: error(), permanent: false }, 'old'],
    ['is cleared after one that a person must mend', { method: 'createMachine', error: error(), permanent: true }, ''],
    ['is kept after a failed question', { method: 'getMachineStatus', error: error(), permanent: true }, 'old'],
    ['is what a deletion tells', { method: 'deleteMachine', answer: { gone: true, lastKnownState: 'new' } }, 'new'],
    ['is cleared by a deletion that tells nothing', { method: 'deleteMachine', answer: { gone: true } }, ''],
    ['is cleared by a deletion that fails', { method: 'deleteMachine', error: error() }, ''],
    ['is what the error of a deletion tells', { method: 'deleteMachine', error: error('new') }, 'new'],
  ];
  test.each(rows)('%s', (_what, outcome, memo) => expect(lastKnownStateAfter('old', outcome)).toBe(memo));
});
