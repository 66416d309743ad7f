import { expect, test } from 'bun:test';
import { requestsComplaint } from './openrequests.ts';

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
