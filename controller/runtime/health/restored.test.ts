import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { Reach } from './probe.ts';

/** A server that answers, and two caches that follow it, of which one is not judged by. */
class Scene implements Disposable {
  readonly clock = new FakeClock();
  readonly log = new FakeLog();
  readonly judged = this.#cache();
  readonly beside = this.#cache();
  readonly reach: Reach;
  readonly #stop = new AbortController();

  constructor() {
    const { clock, log } = this;
    const times = { unreachableAfterMs: 30_000, periodMs: 60_000, from: 0 };
    this.reach = new Reach({ clock, log, name: 'control', probe: async () => {}, ...times });
    this.reach.need(this.judged);
    this.reach.renewsToo(this.beside);
    void this.reach.run(this.#stop.signal);
  }

  get isAway(): boolean {
    const { unreachableSince } = this.reach.fact();
    return unreachableSince !== undefined && this.clock.now() - unreachableSince > 30_000;
  }

  /** What it was listed anew for, of both. */
  get renewals(): number[] {
    return [this.judged.renewals, this.beside.renewals];
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error('enough'));
  }

  #cache() {
    const clock = this.clock;
    const cache = {
      fed: true,
      heardAt: Infinity,
      listedAt: clock.monotonic(),
      wentBackAt: undefined as number | undefined,
      renewals: 0,
      renew: () => {
        cache.renewals++;
        clock.after(2_000, () => Object.assign(cache, { listedAt: clock.monotonic() }));
      },
    };
    return cache;
  }
}

// hack/decisions/0051 L115
describe('a store that went back, as after a restored backup', () => {
  test.each(['judged', 'beside'] as const)('counts as an outage at once, whoever finds it: one %s', async (who) => {
    using scene = new Scene();
    await scene.clock.advance(70_000);
    expect(scene.isAway).toBe(false);
    scene[who].wentBackAt = scene.clock.monotonic();
    const at = scene.clock.now();
    expect([scene.isAway, scene.renewals]).toEqual([true, [1, 1]]);
    await scene.clock.advance(60_000);
    expect([scene.isAway, scene.renewals]).toEqual([false, [1, 1]]);
    expect(scene.reach.fact().backSince).toBeGreaterThan(at);
  });

  test('is listed anew once for all that find so, and again for what they find later', async () => {
    using scene = new Scene();
    await scene.clock.advance(70_000);
    scene.judged.wentBackAt = scene.clock.monotonic();
    expect(scene.isAway).toBe(true);
    await scene.clock.advance(29_000);
    scene.beside.wentBackAt = scene.clock.monotonic();
    await scene.clock.advance(60_000);
    expect([scene.isAway, scene.renewals]).toEqual([false, [1, 1]]);
    scene.beside.wentBackAt = scene.clock.monotonic();
    expect([scene.isAway, scene.renewals]).toEqual([true, [2, 2]]);
  });
});
