import { expect, test } from 'bun:test';
import { FakeClock } from '../runtime/clock.fake.ts';
import { type ClaimedVolume, ClaimedVolumes, type NoVolume } from './claims.ts';
import { NOW } from './flow/view.fixture.ts';

const PV: ClaimedVolume = { name: 'pv', followed: true };
const hanging = () => new Promise<never>(() => {});

/** Claims of a Node, and how often their drain was enqueued. */
function bench() {
  const clock = new FakeClock(NOW);
  const over = new AbortController();
  const enqueued = { times: 0 };
  const enqueue = () => void enqueued.times++;
  const claims = new ClaimedVolumes({ clock, random: { next: () => 0.5 }, signal: over.signal, enqueue });
  /** Looks up what is due of these, and answers what that was. */
  const turn = async (all: readonly string[], answer: () => Promise<ClaimedVolume | NoVolume>) => {
    const due = claims.due(all);
    for (const claim of due) claims.lookUp(claim, answer);
    await clock.advance(0);
    return due;
  };
  return { clock, over, enqueued, claims, turn };
}

test('claims are looked up, a few at a time, and the drain is enqueued by each answer', async () => {
  const { claims, turn, enqueued, clock } = bench();
  const all = ['a', 'b', 'c', 'd', 'e', 'f'];
  const answer = Promise.withResolvers<ClaimedVolume>();
  expect(await turn(all.slice(0, 1), () => answer.promise)).toEqual(['a']);
  expect(await turn(all, () => answer.promise)).toEqual(['b', 'c', 'd']);
  expect([await turn(all, hanging), claims.of('a'), enqueued.times]).toEqual([[], { at: 'pending' }, 0]);
  answer.resolve(PV);
  await clock.advance(0);
  expect([claims.of('a'), enqueued.times]).toEqual([{ at: 'known', volume: PV }, 4]);
  expect(await turn(all, async () => PV)).toEqual(['e', 'f']);
  expect(claims.due(all)).toEqual([]);
  expect([...claims.volumes()]).toHaveLength(6);
  expect(clock.pending).toBe(0);
});

test('one that could not be looked up is tried again after a while, and keeps what was known', async () => {
  const { claims, turn, clock } = bench();
  await turn(['a'], () => Promise.reject(new Error('no answer')));
  expect([claims.of('a'), claims.due(['a'])]).toEqual([{ at: 'failed', reason: 'no answer' }, []]);
  await clock.advance(30_000);
  expect(await turn(['a'], async () => PV)).toEqual(['a']);
  expect(claims.of('a')).toEqual({ at: 'known', volume: PV });
});

test('one that hangs is given up', async () => {
  const { claims, turn, clock } = bench();
  await turn(['a'], hanging);
  await clock.advance(44_999);
  expect(claims.of('a').at).toBe('pending');
  await clock.advance(1);
  expect(claims.of('a')).toEqual({ at: 'failed', reason: 'it took too long' });
});

test('those that had no volume are asked for again, one in a second, and each once in a minute', async () => {
  const { turn, clock } = bench();
  const none = async () => 'unbound' as const;
  expect(await turn(['a'], none)).toEqual(['a']);
  await clock.advance(500);
  expect(await turn(['a', 'b'], none)).toEqual(['b']);
  await clock.advance(59_499);
  expect(await turn(['a', 'b'], none)).toEqual([]);
  await clock.advance(5_001);
  expect(await turn(['b', 'a'], none)).toEqual(['a']);
  expect(await turn(['a', 'b'], none)).toEqual([]);
  await clock.advance(1_000);
  expect(await turn(['a', 'b'], none)).toEqual(['b']);
});

test('none of those is asked for while another one is on its way', async () => {
  const { turn, clock } = bench();
  await turn(['a'], async () => 'unbound');
  await clock.advance(59_000);
  await turn(['b'], hanging);
  await clock.advance(2_000);
  expect(await turn(['a', 'b'], hanging)).toEqual([]);
});

test('one that is known, or on its way, is not looked up again', async () => {
  const { claims, turn } = bench();
  let asked = 0;
  const ask = () => {
    asked += 1;
    return asked === 1 ? hanging() : Promise.resolve(PV);
  };
  await turn(['a'], ask);
  claims.lookUp('a', ask);
  expect(asked).toBe(1);
  await turn(['b'], ask);
  claims.lookUp('b', ask);
  expect(asked).toBe(2);
});

test('an answer after the end of the drain enqueues nothing', async () => {
  const { turn, over, enqueued, clock } = bench();
  await turn(['a'], hanging);
  over.abort();
  await clock.advance(0);
  expect(enqueued.times).toBe(0);
});
