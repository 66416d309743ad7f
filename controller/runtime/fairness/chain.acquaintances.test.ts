import { expect, test } from 'bun:test';
import { Acquaintances } from './chain.ts';

/** Somebody who wants something until he is told to rest. */
function party(name: string) {
  const state = { isResting: false };
  const rest = () => {
    state.isResting = true;
  };
  return { name, isEmpty: () => state.isResting, rest };
}

test('whoever was taken in is found by his name, one or many', () => {
  const known = new Acquaintances<ReturnType<typeof party>>();
  expect(known.get('a')).toBeUndefined();
  const all = ['a', 'b', 'c'].map(party);
  for (const [at, one] of all.entries()) {
    known.add(one);
    for (const other of all.slice(0, at + 1)) expect(known.get(other.name)).toBe(other);
  }
  expect(known.get('d')).toBeUndefined();
});

test('of many who rest few are remembered, and nobody who does not is forgotten', () => {
  const known = new Acquaintances<ReturnType<typeof party>>();
  const busy = party('busy');
  known.add(busy);
  for (let at = 0; at < 1_000; at++) {
    const one = party(`p-${at}`);
    known.add(one);
    one.rest();
    known.rest();
  }
  expect(known.get('busy')).toBe(busy);
  expect(known.byName?.size).toBeLessThan(50);
  expect(known.get('p-0')).toBeUndefined();
});
