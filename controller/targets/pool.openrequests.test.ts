import { expect, test } from 'bun:test';
import { callsPerTarget, mostTargets, requestsComplaint } from './pool.ts';

test.each([
  [27, undefined, undefined],
  [28, undefined, 'BUN_CONFIG_MAX_HTTP_REQUESTS=512'],
  [123, '1024', undefined],
  [300, '1024', 'BUN_CONFIG_MAX_HTTP_REQUESTS=4096'],
  [55, 'nonsense', 'BUN_CONFIG_MAX_HTTP_REQUESTS=512'],
])('%d targets with a limit of %s', (targets, limit, says) => {
  const complaint = requestsComplaint(targets, limit);
  if (says === undefined) expect(complaint).toBeUndefined();
  else expect(complaint).toContain(says);
});

test.each([undefined, '1024', '4096'])(
  'targets that all hang leave the control cluster its requests of %s',
  (limit) => {
    const targets = mostTargets(limit);
    const [watches, probe] = [5, 1];
    const held = targets * (watches + probe + callsPerTarget(targets, limit));
    expect((Number(limit) || 256) - held).toBeGreaterThanOrEqual(40);
  },
);

// hack/decisions/0028 W8
test.each([
  [1, undefined, 32],
  [10, undefined, 15],
  [50, undefined, 2],
  [1000, '1024', 2],
  [100, '4096', 32],
])('each of %d targets with a limit of %s has a share of %d calls', (targets, limit, calls) => {
  expect(callsPerTarget(targets, limit)).toBe(calls);
});
