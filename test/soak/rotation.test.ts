import { expect, test } from 'bun:test';
import { rotateUnderLoad } from './rotation.ts';

test('no request fails while the certificate is exchanged, over kept and over new connections', async () => {
  const result = await rotateUnderLoad({ requests: 2_000, rotations: 20 });
  expect(result).toMatchObject({ failures: [], rotations: 20 });
  expect(result.certificates).toBeGreaterThan(5);
  expect(Math.min(result.kept, result.oneShot)).toBeGreaterThan(100);
}, 60_000);
