import { expect, test } from 'bun:test';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Refusals } from './refusals.ts';
import { refusedState, standsBack } from './refused.ts';
import { view } from './view.fixture.ts';

test('a refused step stands back for its time, while its facts stay, and no other machine’s does', async () => {
  const clock = new FakeClock();
  const refusals = new Refusals();
  const at = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const mark = 'generation 1';
  const add = () => refusals.add('a', 'Synced', { message: 'no', retryAt: clock.monotonic() + 600_000, mark });
  add();
  await clock.advance(599_999);
  clock.step(3_600_000);
  const retryAt = clock.now() + 1;
  expect([...refusals.of('a', { ...at(), mark })]).toEqual([['Synced', { message: 'no', retryAt }]]);
  expect(refusals.of('a', { ...at(), mark: 'generation 2' }).size).toBe(0);
  expect(refusals.of('b', { ...at(), mark }).size).toBe(0);
  await clock.advance(1);
  expect(refusals.of('a', { ...at(), mark }).size).toBe(0);
  add();
  refusals.forget('a');
  expect(refusals.of('a', { ...at(), mark }).size).toBe(0);
});

test('a step that stands back is no satisfied one', () => {
  const refused = new Map([['A', { message: 'no', retryAt: 0 }]]);
  const state = { type: 'A', status: 'True', reason: 'A', message: '' } as const;
  expect(refusedState(view({ refused }), state)).toMatchObject({ status: 'False', reason: 'WriteRefused' });
  expect(refusedState(view({ refused }), { ...state, status: 'Unknown' }).status).toBe('Unknown');
  expect(refusedState(view(), state)).toBe(state);
});

test('a Node that goes last stays behind for a policy alone: other refusals pass (hack/decisions/0028 M13)', () => {
  const stays = (isByPolicy: boolean) => standsBack('NodeDeleted', { do: 'deleteNode', name: 'm' }, isByPolicy);
  expect([stays(true), stays(false)]).toEqual([true, false]);
});
