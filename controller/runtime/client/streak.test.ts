import { expect, test } from 'bun:test';
import { ApiError } from './errors.ts';
import { isRefusal } from './streak.ts';

const answer = (status: number, reason = '') => new ApiError('no', { status, reason });

// hack/decisions/0051 L70: what each answer counts as after so many of the kind, and so many seconds.
test.each([
  ['forbidden', answer(403), 0, 0, true],
  ['invalid', answer(422), 0, 0, true],
  ['a server that fails', answer(500), 0, 0, false],
  ['again', answer(500), 1, 0, true],
  ['a conflict', answer(409), 0, 0, false],
  ['many in a moment', answer(409), 9, 30, false],
  ['few in a long time', answer(409), 4, 3_600, false],
  ['many for a minute', answer(409), 5, 60, true],
  ['a server with too much to do', answer(429), 5, 60, true],
  ['one that does not know us', answer(401), 5, 60, true],
  ['no answer', answer(0, 'DeadlineExceeded'), 5, 60, true],
  ['a mistake of ours', new TypeError('no'), 99, 3_600, false],
])('%s', (_what, error, count, seconds, is) => {
  expect(isRefusal(error, { count, since: 7 }, 7 + seconds * 1_000)).toBe(is);
});
