import { expect, test } from 'bun:test';
import { leaving } from './leaving.ts';
import { living } from './reconcile.ts';
import { stepsBehind, traitsOf } from './steptraits.ts';

// hack/decisions/0051 S28: a step of which the lists beside the flows knew nothing ran out of time in an outage.
test('of each step of a Machine it is said whether its refused write holds up others, and whether it has a time-out', () => {
  const names = [...Object.keys(living), ...Object.keys(leaving)];
  expect(names.filter((name) => traitsOf(name) === undefined)).toEqual([]);
  expect(traitsOf('Settled')).toBeUndefined();
});

test('what comes after a step follows the flow', () => {
  const names = Object.keys(leaving);
  expect(stepsBehind('Drained')).toEqual(names.slice(names.indexOf('Drained') + 1));
});
