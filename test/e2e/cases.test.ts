import { expect, test } from 'bun:test';
import { cases } from './cases.ts';

/** What a release adds to the longest name that is made of its own. */
const LONGEST = 20;

test('each case has a name of its own that can begin a namespace and a release', () => {
  const names = cases.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name) => !/^[a-z][a-z0-9-]*$/.test(name) || name.length > LONGEST)).toEqual([]);
});

test('each case says what it shows', () => {
  expect(cases.filter(({ shows }) => shows === '' || shows.endsWith('.'))).toEqual([]);
});
