import { expect, test } from 'bun:test';
import { Refusals } from './refusals.ts';
import { refusedState } from './refused.ts';
import { view } from './view.fixture.ts';

test('a refused step stands back for ten minutes, and no other machine’s does', () => {
  const refusals = new Refusals();
  refusals.add('a', 'PreservationApplied', { message: 'no', now: 1_000 });
  expect([...refusals.of('a', 600_999).keys()]).toEqual(['PreservationApplied']);
  expect(refusals.of('a', 601_000).size).toBe(0);
  expect(refusals.of('b', 1_000).size).toBe(0);
  refusals.forget('a');
  expect(refusals.of('a', 1_000).size).toBe(0);
});

test('a step that stands back is no satisfied one', () => {
  const refused = new Map([['A', { message: 'no', retryAt: 0 }]]);
  const state = { type: 'A', status: 'True', reason: 'A', message: '' } as const;
  expect(refusedState(view({ refused }), state)).toMatchObject({ status: 'False', reason: 'WriteRefused' });
  expect(refusedState(view({ refused }), { ...state, status: 'Unknown' }).status).toBe('Unknown');
  expect(refusedState(view(), state)).toBe(state);
});
