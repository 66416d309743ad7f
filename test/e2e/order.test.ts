import { expect, test } from 'bun:test';
import type { Case, Needs } from './case.ts';
import { roundsOf } from './order.ts';

const named = (name: string, needs: Needs): Case => ({ name, shows: name, needs, run: async () => {} });
const some = (prefix: string, needs: Needs): Case[] => [...'abcdefgh'].map((letter) => named(prefix + letter, needs));
const cases = [...some('last-', { release: 'own', alone: true }), ...some('first-', { release: 'shared' })];
const order = (seed: number) => roundsOf(cases, seed).map((round) => round.cases.map(({ name }) => name));

test('cases of the same needs make a round, and those that disturb the least come first', () => {
  const rounds = roundsOf(cases, 1);
  expect(rounds.map(({ release, alone }) => [release, alone])).toEqual([
    ['shared', false],
    ['own', true],
  ]);
  expect(order(1).map((names) => names.toSorted())).toEqual([
    some('first-', { release: 'shared' }).map(({ name }) => name),
    some('last-', { release: 'shared' }).map(({ name }) => name),
  ]);
});

test('a seed repeats its order, another gives another', () => {
  expect(order(7)).toEqual(order(7));
  expect(order(7)).not.toEqual(order(8));
});
