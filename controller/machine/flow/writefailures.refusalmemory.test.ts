import { describe, expect, test } from 'bun:test';
import { machine } from '../../../test/fixtures/objects.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { view } from './view.fixture.ts';
import { RefusedWrites, refusedState, standsBack } from './writefailures.ts';

test('a refused step stands back for its time, while its facts stay, and no other machine’s does', async () => {
  const clock = new FakeClock();
  const refusals = new RefusedWrites();
  const at = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const mark = 'generation 1';
  const streak = { count: 1, since: 0 };
  const add = (standsBack: boolean) =>
    refusals.add('a', standsBack ? 'NodeSynced/annotate' : 'NodeSynced/changeNode', {
      step: 'NodeSynced',
      message: 'no',
      retryAt: clock.monotonic() + 600_000,
      mark,
      standsBack,
      streak,
    });
  add(true);
  add(false);
  await clock.advance(599_999);
  clock.step(3_600_000);
  const retryAt = clock.now() + 1;
  const sizes = (uid: string, of = mark) => {
    const { refused, halted } = refusals.of(uid, { ...at(), mark: of });
    return [refused.size, halted.size];
  };
  const { refused, halted } = refusals.of('a', { ...at(), mark });
  expect([...refused]).toEqual([
    ['NodeSynced', { message: 'no', retryAt }],
    ['NodeSynced/annotate', { message: 'no', retryAt }],
  ]);
  expect([...halted]).toEqual([['NodeSynced/changeNode', { message: 'no', retryAt }]]);
  expect([sizes('a', 'generation 2'), sizes('b')]).toEqual([
    [0, 0],
    [0, 0],
  ]);
  await clock.advance(1);
  expect(sizes('a')).toEqual([0, 0]);
  expect(refusals.streakOf('a', { write: 'NodeSynced/annotate', mark })).toEqual(streak);
  expect(refusals.streakOf('a', { write: 'NodeSynced/annotate', mark: 'generation 2' })).toBeUndefined();
  add(true);
  refusals.overcome('a', 'NodeSynced/annotate');
  expect(sizes('a')).toEqual([0, 0]);
  add(true);
  refusals.forget('a');
  expect(sizes('a')).toEqual([0, 0]);
});

test('a step that stands back is no satisfied one', () => {
  const refused = new Map([['A', { message: 'no', retryAt: 0 }]]);
  const state = { type: 'A', status: 'True', reason: 'A', message: '' } as const;
  expect(refusedState(view({ refused }), state)).toMatchObject({ status: 'False', reason: 'WriteRefused' });
  expect(refusedState(view({ refused }), { ...state, status: 'Unknown' }).status).toBe('Unknown');
  expect(refusedState(view(), state)).toBe(state);
});

describe('a Node that may not be deleted', () => {
  const leaver = (labels = {}) => view({ machine: machine({ metadata: { labels } }) });
  const action = { do: 'deleteNode', name: 'm' } as const;
  test.each([
    ['stays behind for a policy (hack/decisions/0028 M13)', leaver(), { isByPolicy: true, judgedMs: 0 }, true],
    ['is tried again: rights may come late', leaver(), { isByPolicy: false, judgedMs: 599_999 }, false],
    [
      'is tried again as long as nobody judges that (hack/decisions/0051 L78)',
      leaver(),
      { isByPolicy: false, judgedMs: 0 },
      false,
    ],
    ['stays behind after its time (hack/decisions/0051 L12)', leaver(), { isByPolicy: false, judgedMs: 600_000 }, true],
    [
      'stays behind at once by force (hack/decisions/0051 L12)',
      leaver({ 'force-deletion': 'True' }),
      { isByPolicy: false, judgedMs: 0 },
      true,
    ],
  ])('%s', (_what, of, known, is) => {
    expect(standsBack(of, { step: 'NodeDeleted', action, ...known })).toBe(is);
  });
});
