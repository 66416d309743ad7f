import { expect, test } from 'bun:test';
import { someOrNone } from './value.ts';

const { read, complaint } = someOrNone(['cloud', 'virtual', 'metal']);

// hack/decisions/0028: one driver is left out without the naming of all others.
test.each<[given: string, picked: string[] | undefined]>([
  ['*', ['cloud', 'virtual', 'metal']],
  ['metal,cloud', ['cloud', 'metal']],
  ['', []],
  ['*,-virtual', ['cloud', 'metal']],
  [' -virtual, * ', ['cloud', 'metal']],
  ['*,-virtual,-metal', ['cloud']],
  ['*,-cloud,-virtual,-metal', []],
  ['-virtual', undefined],
  ['cloud,-virtual', undefined],
  ['*,-virtaul', undefined],
  ['*,cloud', undefined],
  [',', undefined],
])('of three words "%s" picks %j', (given, picked) => {
  expect(read(given)).toEqual(picked as ReturnType<typeof read>);
});

test('what cannot be read is told how to be written', () => {
  expect(complaint).toBe(
    'is not a list out of cloud, virtual, metal; * means all of them, *,-cloud all but that, and an empty text none',
  );
});
