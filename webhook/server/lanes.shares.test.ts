import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Shares } from './lanes.ts';

// hack/decisions/0028 W6

/** How much a holder gets, bit by bit. */
function most(shares: Shares, who: string, part = 1): number {
  let taken = 0;
  while (shares.take(who, 1, part)) taken++;
  return taken;
}

test('one holder has half, and whoever comes later still gets some', () => {
  const shares = new Shares(120);
  expect(most(shares, 'a')).toBe(60);
  expect(most(shares, 'b')).toBe(30);
  expect(most(shares, 'c')).toBe(15);
});

test('holders that come and go have an equal share in the end', () => {
  const shares = new Shares(120);
  const holders = ['a', 'b', 'c'];
  const held = new Map(holders.map((who) => [who, most(shares, who)]));
  for (let turn = 0; turn < 60; turn++) {
    for (const who of holders) {
      shares.give(who, held.get(who) ?? 0);
      held.set(who, most(shares, who));
    }
  }
  for (const who of holders) expect(held.get(who)).toBeWithin(28, 33);
});

test('a part of the share is kept for smaller wishes of the same holder', () => {
  const shares = new Shares(120);
  expect(most(shares, 'a', 3 / 4)).toBe(45);
  expect(most(shares, 'a')).toBe(15);
});

test('what is given back can be taken again', () => {
  const shares = new Shares(10);
  expect(shares.take('a', 5)).toBe(true);
  expect(shares.take('a', 1)).toBe(false);
  shares.give('a', 5);
  expect(shares.take('b', 5)).toBe(true);
});

test('whoever takes and gives, the rest is never less than what the last taker holds', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 1, max: 40 })));
  fc.assert(
    fc.property(steps, (wanted) => {
      const shares = new Shares(100);
      const held = new Map<string, number>();
      for (const [who, amount] of wanted) {
        if (!shares.take(who, amount)) continue;
        held.set(who, (held.get(who) ?? 0) + amount);
        const free = 100 - [...held.values()].reduce((a, b) => a + b, 0);
        expect(free).toBeGreaterThanOrEqual(held.get(who) ?? 0);
      }
    }),
  );
});
