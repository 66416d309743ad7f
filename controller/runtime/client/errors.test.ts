import { expect, test } from 'bun:test';
import { ApiError, isDeniedByPolicy, isJudged } from './errors.ts';

const POLICY = `nodes "m" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no`;

test.each([
  ['a policy', POLICY, 403, 'Forbidden', true],
  ['a policy that says so in other words', POLICY, 422, 'Invalid', true],
  ['missing rights', 'nodes "m" is forbidden: User "x" cannot delete resource "nodes"', 403, 'Forbidden', false],
  ['a webhook', 'admission webhook "x" denied the request: no', 403, 'Forbidden', false],
  ['a server in trouble', POLICY, 500, 'InternalError', false],
])('a refusal by %s is one by policy, or not (hack/decisions/0028 M13)', (_what, message, status, reason, is) => {
  expect(isDeniedByPolicy(new ApiError(message, { status, reason }))).toBe(is);
});

test.each([
  [403, 'Forbidden', true],
  [422, 'Invalid', true],
  [400, 'BadRequest', true],
  [409, 'Conflict', false],
  [404, 'NotFound', false],
  [429, 'TooManyRequests', false],
  [500, 'InternalError', false],
  [0, 'NetworkError', false],
])('%d %s has been judged: %p', (status, reason, is) => {
  expect(isJudged(new ApiError('no', { status, reason }))).toBe(is);
});
