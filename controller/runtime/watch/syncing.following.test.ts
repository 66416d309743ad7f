import { expect, test } from 'bun:test';
import { follows } from './syncing.ts';

test.each([
  ['one that has no list yet', { synced: false, fed: true, heardAt: undefined }, false],
  ['one that nothing feeds', { synced: true, fed: false, heardAt: undefined }, true],
  ['one that just heard', { synced: true, fed: true, heardAt: 900_000 }, true],
  ['one that heard a while ago', { synced: true, fed: true, heardAt: 899_999 }, false],
  ['one that is too small', { synced: false, fed: true, heardAt: 1_000_000 }, false],
])('%s', (_what, cache, is) => {
  expect(follows(cache, 1_000_000)).toBe(is);
});
