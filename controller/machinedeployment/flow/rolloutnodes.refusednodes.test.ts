import { expect, test } from 'bun:test';
import { RefusedNodes } from './rolloutnodes.ts';

const DAY_MS = 86_400_000;

// hack/decisions/0028 T62: a target's API server says what UIDs its Nodes have, and refuses each change of a new one.
test('Nodes that are gone are remembered no longer than they are let alone', () => {
  const refused = new RefusedNodes();
  for (let at = 0; at < 200; at++) refused.add(`${at}`, at * 60_000);
  expect(refused.size).toBe(10);
  refused.add('new', DAY_MS);
  expect([refused.size, refused.has('new', DAY_MS), refused.has('199', DAY_MS)]).toEqual([1, true, false]);
});

test('of more than ten thousand the first are remembered no longer', () => {
  const refused = new RefusedNodes();
  for (let at = 0; at <= 10_000; at++) refused.add(`${at}`, 0);
  expect([refused.size, refused.has('0', 0), refused.has('1', 0), refused.has('10000', 0)]).toEqual([
    10_000,
    false,
    true,
    true,
  ]);
});

test('one that is refused again is let alone for longer', () => {
  const refused = new RefusedNodes();
  for (const now of [0, 300_000]) refused.add('a', now);
  refused.add('b', 301_000);
  expect(refused.has('a', 800_000)).toBe(true);
  refused.add('c', 900_000);
  expect(refused.size).toBe(2);
});

test('one with a UID that no API server gives is let alone, and not remembered', () => {
  const refused = new RefusedNodes();
  const uid = 'x'.repeat(1 << 20);
  refused.add(uid, 0);
  expect([refused.size, refused.has(uid, 0), refused.retryIn([uid], 0)]).toEqual([0, true, Infinity]);
});
