import { expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { Reach } from '../runtime/health/probe.ts';
import { isUnreachable } from '../runtime/health/probestate.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { Cache } from '../runtime/watch/cache.ts';
import type { TargetCluster } from './cluster.ts';
import { TargetPool } from './pool.ts';

/** hack/decisions/0028 R5: whether a Cluster that is being deleted holds up its Machines is told by probes that really failed. */

const leaving = { name: 'east', namespace: 'herd', deletionTimestamp: '2026-01-01T00:00:00Z' };
const machine = { metadata: { name: 'm', namespace: 'herd', labels: { 'cluster.k8s.io/cluster-name': 'east' } } };

/** A cache whose lists take four seconds. */
function slowFeed(clock: FakeClock) {
  const feed = {
    listedAt: clock.monotonic(),
    fed: true,
    get heardAt() {
      return clock.monotonic();
    },
    renew: () => clock.after(4_000, () => Object.assign(feed, { listedAt: clock.monotonic() })),
  };
  return feed;
}

/** A target that stands as its reach tells. */
const openedBy = (reach: Reach, clock: FakeClock): TargetCluster =>
  ({
    known: true,
    since: clock.monotonic(),
    // What gates go by, which is dated back when in doubt.
    get isAway() {
      return isUnreachable(reach.fact(), clock.now(), 30_000);
    },
    get isGivenUp() {
      return reach.isGivenUp;
    },
    target: { reach },
    close: () => {},
  }) as unknown as TargetCluster;

/** A Cluster that is being deleted, whose lists take four seconds. */
function scene() {
  const clock = new FakeClock();
  const clusters = new Cache<Cluster>();
  clusters.reset([{ metadata: leaving } as never], '1');
  const server = { isWell: true };
  const told: string[] = [];
  const probe = async () => {
    if (!server.isWell) throw new Error('no answer');
  };
  const reach = new Reach({
    clock,
    log: new FakeLog(),
    name: 'east',
    probe,
    unreachableAfterMs: 30_000,
    periodMs: 10_000,
    from: 0,
  });
  reach.need(slowFeed(clock));
  const stop = new AbortController();
  const targets = new TargetPool({ clusters, clock });
  targets.add('herd/east', openedBy(reach, clock));
  const at = () => targets.of(machine).at;
  reach.onChange(() => told.push(at()));
  return {
    clock,
    server,
    at,
    told,
    run: () => void reach.run(stop.signal),
    [Symbol.dispose]: () => stop.abort(new Error('enough')),
  };
}

test.each([31_000, -31_000, 3_600_000])('it is not given up because the clock was set by %p ms', async (ms) => {
  using here = scene();
  here.run();
  await here.clock.advance(120_000);
  here.clock.step(ms);
  for (let s = 0; s < 60; s++) {
    expect(here.at()).toBe('open');
    await here.clock.advance(1_000);
  }
});

test('it is not given up because the first probe after a start failed', async () => {
  using here = scene();
  here.server.isWell = false;
  here.run();
  await here.clock.advance(1);
  expect(here.at()).toBe('open');
  here.server.isWell = true;
  await here.clock.advance(60_000);
  expect([here.at(), new Set(here.told)]).toEqual(['open', new Set(['open'])]);
});

test('it is given up once probes have failed for half a minute, whoever waits is told, and one answer takes that back', async () => {
  using here = scene();
  here.server.isWell = false;
  here.run();
  await here.clock.advance(29_000);
  expect(here.at()).toBe('open');
  await here.clock.advance(12_000);
  expect([here.at(), here.told]).toEqual(['missing', ['missing']]);
  here.server.isWell = true;
  await here.clock.advance(12_000);
  expect([here.at(), here.told.at(-1)]).toEqual(['open', 'open']);
});
