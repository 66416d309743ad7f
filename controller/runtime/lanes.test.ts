import { expect, test } from 'bun:test';
import { Lanes } from './lanes.ts';

test('a party that hangs keeps no more than its share, and the others go on', () => {
  const lanes = new Lanes(() => 2);
  const [first, second] = [lanes.enter('a'), lanes.enter('a')];
  expect(lanes.enter('a')).toBeUndefined();
  expect(lanes.enter('b')).toBeDefined();
  first?.();
  first?.();
  expect(lanes.enter('a')).toBeDefined();
  expect(lanes.enter('a')).toBeUndefined();
  second?.();
  expect(lanes.enter('a')).toBeDefined();
});

test('the share follows what it is asked from, and is never nothing', () => {
  let most = 0;
  const lanes = new Lanes(() => most);
  expect(lanes.enter('a')).toBeDefined();
  expect(lanes.enter('a')).toBeUndefined();
  most = 2;
  expect(lanes.enter('a')).toBeDefined();
});
