import { expect, test } from 'bun:test';
import { mostTargets, roomFor } from './pool.ts';

const limit = '4096';

// hack/decisions/0028 T11
test.each([
  ['the first target', { own: 0, others: 0 }, '', 'free'],
  ['one less than half', { own: 252, others: 0 }, '', 'free'],
  ['half of them', { own: 254, others: 0 }, '', 'shared'],
  ['half of them, of the only namespace that is looked after', { own: 254, others: 0 }, 'herd', 'free'],
  ['all of them', { own: 507, others: 0 }, 'herd', 'full'],
  ['the first one beside half of another', { own: 0, others: 254 }, '', 'free'],
  ['a quarter beside half of another', { own: 127, others: 254 }, '', 'shared'],
  ['none, while others have all', { own: 0, others: 507 }, '', 'full'],
])('a namespace that has %s', (_what, followed, namespace, room) => {
  expect(roomFor(followed, { limit, namespace })).toBe(room as never);
});

test('namespaces that open one target after the other, in turns, have as many each', () => {
  const counts = [0, 0, 0];
  for (let turns = 0; turns < 1_000; turns++) {
    const at = turns % counts.length;
    const own = counts[at] ?? 0;
    const others = counts.reduce((sum, one) => sum + one, 0) - own;
    if (roomFor({ own, others }, { limit, namespace: '' }) === 'free') counts[at] = own + 1;
  }
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBeLessThan(mostTargets(limit));
});
