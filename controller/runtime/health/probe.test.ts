import { describe, expect, test } from 'bun:test';
import { ApiError } from '../client/errors.ts';
import { FakeClock, MONOTONIC_START } from '../clock.fake.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { type Fed, Reach } from './probe.ts';

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
    const begun = this.clock.monotonic();
    const cache = {
      heardAt: begun as number | undefined,
      listedAt: begun as number | undefined,
      renew: () => {
        this.renewals++;
        this.clock.after(2_500, () => Object.assign(cache, { heardAt: Infinity, listedAt: this.clock.monotonic() }));
      },
    };
    const { clock, log } = this;
    const probe = async () => {
      this.probes.push(this.seconds);
      if (this.error) throw this.error;
    };
    this.reach = new Reach({
      clock,
      log,
      probe,
      name: 'target',
      unreachableAfterMs: 30_000,
      periodMs: 10_000,
      from: 0,
    });
    this.reach.judgeBy(cache);
    this.reach.onChange(() => this.told.push(this.seconds));
    void this.reach.run(this.#stop.signal);
  }

  /** Since the process began to follow it. */
  get seconds(): number {
    return (this.clock.monotonic() - MONOTONIC_START) / 1000;
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
  expect([scene.told, scene.renewals]).toEqual([[0, 46, 64, 67.28], 1]);
  expect(scene.reach.fact().backSince).toBe(scene.clock.now() - (121_000 - 67_280));
  expect(scene.log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info API server answers',
    ...Array<string>(7).fill('debug API server does not answer'),
    'warn API server is unreachable',
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
])('an answer or none: %s (hack/spec/mcm.md 8.2)', async (_, refusal, answers) => {
  using scene = new Scene(refusal && refused(...refusal));
  await scene.clock.advance(1);
  expect(scene.reach.fact().unreachableSince === undefined).toBe(answers);
});

test('renews a cache that joins later, if its list is from before the server answered again', async () => {
  using scene = new Scene(refused(500, 'InternalError'));
  await scene.clock.advance(1_000);
  const late = {
    heardAt: Infinity,
    listedAt: scene.clock.monotonic(),
    renew: () => {
      late.listedAt = scene.clock.monotonic();
    },
  };
  scene.error = undefined;
  await scene.clock.advance(7_000);
  scene.reach.judgeBy(late);
  await scene.clock.advance(10_000);
  expect(scene.reach.fact().unreachableSince).toBeUndefined();
});

test('goes on when a listener throws (hack/decisions/0028 R4)', async () => {
  using scene = new Scene();
  scene.reach.onChange(() => {
    throw new Error('a mistake');
  });
  await scene.clock.advance(1_000);
  scene.error = refused(0, 'NetworkError');
  await scene.clock.advance(60_000);
  expect(scene.told).toEqual([0, 46]);
  expect(scene.log.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
});

describe('a process that begins to follow a server that answers', () => {
  /** A server that answers, and one cache that has not been listed. */
  function begin(join: (reach: Reach, cache: Fed) => void, fed = true) {
    const clock = new FakeClock();
    const begun = clock.now();
    const parts = { clock, log: new FakeLog(), name: 'target', unreachableAfterMs: 30_000, periodMs: 10_000, from: 0 };
    const reach = new Reach({ ...parts, probe: async () => {} });
    const cache = { fed, heardAt: undefined, listedAt: undefined as number | undefined, renew: () => {} };
    join(reach, cache);
    const life = new AbortController();
    void reach.run(life.signal);
    let settled = false;
    void reach.settled.then(() => {
      settled = true;
    });
    const list = () => Object.assign(cache, { heardAt: clock.monotonic(), listedAt: clock.monotonic() });
    return { clock, begun, reach, list, isSettled: () => settled, [Symbol.dispose]: () => life.abort() };
  }

  const needs = (reach: Reach, cache: Fed) => reach.need(cache);

  test('counts it as away until it knows what it cannot judge without', async () => {
    using scene = begin(needs);
    await scene.clock.advance(20_000);
    expect([scene.reach.fact().unreachableSince, scene.isSettled()]).toEqual([scene.begun - 30_001, false]);
    scene.list();
    await scene.clock.advance(1_000);
    expect([scene.reach.fact(), scene.isSettled()]).toEqual([{ backSince: 0 }, true]);
  });

  test('is not held up by lists that come at once', async () => {
    using scene = begin(needs);
    await scene.clock.advance(30);
    scene.list();
    await scene.clock.advance(10);
    expect([scene.reach.fact(), scene.isSettled()]).toEqual([{ backSince: 0 }, true]);
  });

  test('takes it for back only then if the lists were away for longer than a blip', async () => {
    using scene = begin(needs);
    await scene.clock.advance(40_000);
    scene.list();
    await scene.clock.advance(1_000);
    const { unreachableSince, backSince } = scene.reach.fact();
    expect(unreachableSince).toBeUndefined();
    expect(backSince).toBeGreaterThanOrEqual(scene.begun + 40_000);
  });

  test.each<[what: string, join: (reach: Reach, cache: Fed) => void, fed: boolean]>([
    ['can do without, as it may never be allowed to list it', (reach, cache) => reach.judgeBy(cache), true],
    ['needs, but nothing feeds', needs, false],
  ])('does not wait for a cache that it %s', async (_, join, fed) => {
    using scene = begin(join, fed);
    await scene.clock.advance(1);
    expect([scene.reach.fact(), scene.isSettled()]).toEqual([{ backSince: 0 }, true]);
  });

  test('waits for one that joins before the others are listed', async () => {
    using scene = begin(needs);
    await scene.clock.advance(1_000);
    const late = { fed: true, heardAt: undefined, listedAt: undefined, renew: () => {} };
    scene.reach.need(late);
    scene.list();
    await scene.clock.advance(5_000);
    expect(scene.isSettled()).toBe(false);
    Object.assign(late, { heardAt: scene.clock.monotonic(), listedAt: scene.clock.monotonic() });
    await scene.clock.advance(1_000);
    expect(scene.isSettled()).toBe(true);
  });

  test('lets nobody wait who has stopped following it', async () => {
    const scene = begin(needs);
    await scene.clock.advance(1_000);
    scene[Symbol.dispose]();
    await scene.clock.advance(0);
    expect(scene.isSettled()).toBe(true);
  });

  test('takes no server for away because a cache joins after that', async () => {
    using scene = begin(needs);
    scene.list();
    await scene.clock.advance(1_000);
    expect(scene.reach.fact()).toEqual({ backSince: 0 });
    scene.reach.need({ fed: true, heardAt: undefined, listedAt: undefined, renew: () => {} });
    await scene.clock.advance(50_000);
    expect(scene.reach.fact()).toEqual({ backSince: 0 });
  });
});
