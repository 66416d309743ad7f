import { expect, test } from 'bun:test';
import { capabilities } from '../../../schemas/providers/capabilities.ts';
import { deadlines } from './driver.ts';

// hack/decisions/0051 L25
test('what nobody calls has no deadline', () => {
  const pending = Object.values(capabilities).flatMap((row) => ('pending' in row ? [row.method as string] : []));
  expect(Object.keys(deadlines).filter((method) => pending.includes(method))).toEqual([]);
});
