import { expect, test } from 'bun:test';
import { callsPerTarget, requestsComplaint } from './openrequests.ts';

test.each([
  [54, undefined, undefined],
  [55, undefined, 'BUN_CONFIG_MAX_HTTP_REQUESTS=512'],
  [55, '1024', undefined],
  [300, '1024', 'BUN_CONFIG_MAX_HTTP_REQUESTS=4096'],
  [55, 'nonsense', 'BUN_CONFIG_MAX_HTTP_REQUESTS=512'],
])('%d targets with a limit of %s', (targets, limit, says) => {
  const complaint = requestsComplaint(targets, limit);
  if (says === undefined) expect(complaint).toBeUndefined();
  else expect(complaint).toContain(says);
});

// hack/decisions/0028 W8
test.each([
  [1, undefined, 32],
  [10, undefined, 16],
  [50, undefined, 2],
  [1000, '1024', 2],
  [100, '4096', 32],
])('each of %d targets with a limit of %s has a share of %d calls', (targets, limit, calls) => {
  expect(callsPerTarget(targets, limit)).toBe(calls);
});
