import { expect, test } from 'bun:test';
import { FakeClock } from './clock.fake.ts';
import { ApiError } from './errors.ts';
import { FakeLog } from './log.fake.ts';
import { Reach } from './reach.ts';

const refused = (status: number, reason: string) => new ApiError(reason, { status, reason });

/** A server whose probes find this error or, without one, an answer; one cache follows it. */
class Scene {
  readonly clock = new FakeClock();
  readonly log = new FakeLog();
  readonly told: number[] = [];
  readonly probes: number[] = [];
  error: Error | undefined;
  renewals = 0;
  readonly #stop = new AbortController();
  readonly reach: Reach;

  constructor(error?: Error) {
    this.error = error;
    const begun = this.clock.now();
    const cache = {
      heardAt: begun as number | undefined,
      listedAt: begun as number | undefined,
      renew: () => {
        this.renewals++;
        this.clock.after(2_500, () => Object.assign(cache, { heardAt: Infinity, listedAt: this.clock.now() }));
      },
    };
    const { clock, log } = this;
    const probe = async () => {
      this.probes.push(this.seconds);
      if (this.error) throw this.error;
    };
    this.reach = new Reach({ clock, log, probe, name: 'target', awayMs: 30_000, periodMs: 10_000, from: 0 });
    this.reach.judgeBy(cache);
    this.reach.onChange(() => this.told.push(this.seconds));
    void this.reach.run(this.#stop.signal);
  }

  /** Since the process began to follow it. */
  get seconds(): number {
    return (this.clock.now() - Date.parse('2026-01-01T00:00:00Z')) / 1000;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error('enough'));
  }
}

test('probes every ten seconds while the server answers, and five times within the time-out while it does not', async () => {
  using scene = new Scene();
  await scene.clock.advance(20_000);
  scene.error = refused(500, 'InternalError');
  await scene.clock.advance(40_000);
  expect(scene.probes).toEqual([0, 10, 20, 30, 36, 42, 48, 54, 60]);
});

test('tells of an outage at the first probe after the time-out, and of its end once the caches were listed anew', async () => {
  using scene = new Scene();
  await scene.clock.advance(1_000);
  scene.error = refused(0, 'NetworkError');
  await scene.clock.advance(60_000);
  expect(scene.told).toEqual([0, 46]);
  scene.error = undefined;
  await scene.clock.advance(60_000);
  expect([scene.told, scene.renewals]).toEqual([[0, 46, 67], 1]);
  expect(scene.reach.fact().backSince).toBe(scene.clock.now() - (121 - 67) * 1000);
  expect(scene.log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info API server answers',
    ...Array<string>(7).fill('debug API server does not answer'),
    'warn API server is away',
    'debug API server does not answer',
    'debug API server does not answer',
    'info API server answers',
  ]);
});

test.each<[what: string, refusal: [number, string] | undefined, answers: boolean]>([
  ['success', undefined, true],
  ['NotFound', [404, 'NotFound'], true],
  ['Forbidden', [403, 'Forbidden'], false],
  ['Unauthorized', [401, 'Unauthorized'], false],
  ['TooManyRequests', [429, 'TooManyRequests'], false],
  ['500', [500, 'InternalError'], false],
  ['no answer', [0, 'DeadlineExceeded'], false],
])('an answer or none: %s (MCM 8.2)', async (_, refusal, answers) => {
  using scene = new Scene(refusal && refused(...refusal));
  await scene.clock.advance(1);
  expect(scene.reach.fact().awaySince === undefined).toBe(answers);
});

test('renews a cache that joins later, if its list is from before the server answered again', async () => {
  using scene = new Scene(refused(500, 'InternalError'));
  await scene.clock.advance(1_000);
  const late = {
    heardAt: Infinity,
    listedAt: scene.clock.now(),
    renew: () => {
      late.listedAt = scene.clock.now();
    },
  };
  scene.error = undefined;
  await scene.clock.advance(7_000);
  scene.reach.judgeBy(late);
  await scene.clock.advance(10_000);
  expect(scene.reach.fact().awaySince).toBeUndefined();
});
