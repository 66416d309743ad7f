import { expect, test } from 'bun:test';
import { Refusals } from './refusals.ts';
import { refusedState } from './refused.ts';
import { view } from './view.fixture.ts';

test('a refused step stands back for its time, while its facts stay, and no other machine’s does', () => {
  const refusals = new Refusals();
  const mark = 'generation 1';
  refusals.add('a', 'Synced', { message: 'no', retryAt: 601_000, mark });
  expect([...refusals.of('a', { now: 600_999, mark })]).toEqual([['Synced', { message: 'no', retryAt: 601_000 }]]);
  expect(refusals.of('a', { now: 601_000, mark }).size).toBe(0);
  expect(refusals.of('a', { now: 1_000, mark: 'generation 2' }).size).toBe(0);
  expect(refusals.of('b', { now: 1_000, mark }).size).toBe(0);
  refusals.forget('a');
  expect(refusals.of('a', { now: 1_000, mark }).size).toBe(0);
});

test('a step that stands back is no satisfied one', () => {
  const refused = new Map([['A', { message: 'no', retryAt: 0 }]]);
  const state = { type: 'A', status: 'True', reason: 'A', message: '' } as const;
  expect(refusedState(view({ refused }), state)).toMatchObject({ status: 'False', reason: 'WriteRefused' });
  expect(refusedState(view({ refused }), { ...state, status: 'Unknown' }).status).toBe('Unknown');
  expect(refusedState(view(), state)).toBe(state);
});
