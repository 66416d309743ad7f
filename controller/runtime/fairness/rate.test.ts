import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from '../clock.fake.ts';
import { seededRandom } from '../random.ts';
import { Backoff, tokenBucket } from './rate.ts';
import type { Asker } from './sharing.ts';

describe('a token bucket', () => {
  /** Takers that were let go, in order. */
  function takersOf(qps: number, burst: number) {
    const clock = new FakeClock();
    const limiter = tokenBucket({ clock, qps, burst, levelOf: (priority) => Math.min(priority, 90) });
    const gone: string[] = [];
    const take = (name: string, signal?: AbortSignal, asker: Partial<Asker> = {}) =>
      limiter.take(signal, { priority: 0, flow: [], ...asker }).then(
        () => gone.push(name),
        () => gone.push(`${name} gave up`),
      );
    return { clock, gone, take };
  }

  test('lets the burst through at once and then keeps the rate, first come, first served', async () => {
    const { clock, gone, take } = takersOf(10, 2);
    for (const name of ['a', 'b', 'c', 'd']) void take(name);
    await clock.advance(99);
    expect(gone).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(gone).toEqual(['a', 'b', 'c']);
    await clock.advance(100);
    expect(gone).toEqual(['a', 'b', 'c', 'd']);
    expect(clock.pending).toBe(0);
  });

  // hack/decisions/0028 W10
  test('lets an urgent call go before 2,048 that mark Nodes, and a deletion wait for no creation of another namespace', async () => {
    const { clock, gone, take } = takersOf(1_000, 1);
    void take('first');
    for (let n = 0; n < 2_048; n++) void take(`mark ${n}`, undefined, { priority: -4, flow: ['rollout'] });
    for (let n = 0; n < 500; n++) void take(`create ${n}`, undefined, { priority: 100, flow: ['flood'] });
    void take('urgent', undefined, { priority: 100, flow: ['one'] });
    void take('delete', undefined, { priority: 98, flow: ['two'] });
    await clock.advance(4);
    expect(gone).toEqual(['first', 'create 0', 'urgent', 'delete', 'create 1']);
  });

  // hack/decisions/0028 W10
  test('starves nobody: of those that have waited for a second every fourth goes', async () => {
    const { clock, gone, take } = takersOf(10, 1);
    void take('first');
    void take('patient', undefined, { priority: -4, flow: ['a'] });
    for (let n = 0; n < 100; n++) void take(`urgent ${n}`, undefined, { priority: 100, flow: ['b'] });
    await clock.advance(3_000);
    expect(gone).toContain('patient');
  });

  test('never saves up more than the burst', async () => {
    const { clock, gone, take } = takersOf(1000, 2);
    await clock.advance(60_000);
    for (const name of ['a', 'b', 'c']) void take(name);
    await clock.advance(0);
    expect(gone).toEqual(['a', 'b']);
  });

  test('does not let a late taker overtake one that waits', async () => {
    const { clock, gone, take } = takersOf(10, 1);
    for (const name of ['a', 'b']) void take(name);
    await clock.advance(100);
    for (const name of ['c']) void take(name);
    await clock.advance(100);
    expect(gone).toEqual(['a', 'b', 'c']);
  });

  test('forgets a taker whose signal aborts, and spends no token on it', async () => {
    const { clock, gone, take } = takersOf(10, 1);
    const leaving = new AbortController();
    void take('a');
    void take('b', leaving.signal);
    void take('c');
    leaving.abort();
    await clock.advance(100);
    expect(gone).toEqual(['a', 'b gave up', 'c']);
    await take('d', leaving.signal);
    expect(gone.at(-1)).toBe('d gave up');
  });

  test('lets no more than burst plus rate through in any time', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), async (qps, burst) => {
        const { clock, gone, take } = takersOf(qps, burst);
        for (let n = 0; n < 100; n++) void take(`${n}`);
        for (let second = 1; gone.length < 100 && second < 101; second++) {
          await clock.advance(1000);
          expect(gone.length).toBeLessThanOrEqual(burst + qps * second);
          expect(gone.length).toBeGreaterThanOrEqual(Math.min(100, burst + qps * second - 1));
        }
        expect(gone).toHaveLength(100);
      }),
      { numRuns: 30 },
    ));

  test.each([
    [0, 1],
    [Number.NaN, 1],
    [1, 0],
  ])('is refused with qps %p and burst %p', (qps, burst) => {
    expect(() => tokenBucket({ clock: new FakeClock(), qps, burst })).toThrow('qps must be above 0');
  });
});

describe('a back-off', () => {
  const middle = { next: () => 0.5 };

  test('doubles for each failure of a key, up to the cap', () => {
    const backoff = new Backoff({ random: middle, baseMs: 100, capMs: 1000 });
    expect([1, 2, 3, 4, 5, 6].map(() => backoff.next('a'))).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(backoff.next('b')).toBe(100);
    expect(backoff.count('a')).toBe(6);
  });

  test('begins anew once the key is forgotten', () => {
    const backoff = new Backoff({ random: middle, baseMs: 100, capMs: 1000 });
    backoff.next('a');
    backoff.next('a');
    backoff.forget('a');
    expect(backoff.count('a')).toBe(0);
    expect(backoff.next('a')).toBe(100);
  });

  test('is spread by a fifth, stays below the cap and finite for ever', () => {
    const backoff = new Backoff({ random: seededRandom(1), baseMs: 100, capMs: 1000 });
    for (let failures = 0; failures < 2000; failures++) {
      const plain = Math.min(1000, 100 * 2 ** failures);
      const delay = backoff.next('a');
      expect(delay).toBeGreaterThanOrEqual(plain * 0.8);
      expect(delay).toBeLessThanOrEqual(Math.min(1000, plain * 1.2));
    }
  });
});
