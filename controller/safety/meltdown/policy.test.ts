import { describe, expect, test } from 'bun:test';
import { type Area, budgetOf, holdIn, type MeltdownLimits, nextOutage, type Outage, type Tally } from './policy.ts';

/** On the monotonic clock, and the same moment on the wall clock. */
const NOW = 4_600_000;
const WALL = Date.parse('2026-01-01T01:00:00Z');
const limits: MeltdownLimits = { outagePercent: 55, budget: { percent: 10 } };
const tally = (unhealthy: number, total: number, replaced = 0): Tally => ({ unhealthy, total, replaced });

describe('unhealthy machines of an area are an outage (hack/decisions/0000 7; Kubernetes, node_lifecycle_controller.go)', () => {
  test.each([
    ['none of none: no', 0, 0, false],
    ['one of one: no', 1, 1, false],
    ['two of two: no', 2, 2, false],
    ['three of three: yes', 3, 3, true],
    ['three of five, above the limit: yes', 3, 5, true],
    ['eleven of twenty, exactly the limit: no', 11, 20, false],
    ['sixteen of thirty, below the limit: no', 16, 30, false],
    ['seventeen of thirty: yes', 17, 30, true],
    ['all: yes', 30, 30, true],
  ])('%s', (_what, unhealthy, total, is) => {
    expect(nextOutage(undefined, tally(unhealthy, total), { now: NOW, ...limits }) !== undefined).toBe(is);
  });

  test('never, if the limit is 100 %', () => {
    expect(nextOutage(undefined, tally(30, 30), { now: NOW, outagePercent: 100 })).toBeUndefined();
  });
});

describe('an outage that began with 18 of 30', () => {
  const before: Outage = { since: NOW - 600_000, reported: tally(18, 30) };
  const calm = (ms: number): Outage => ({ ...before, calmSince: NOW - ms });
  test.each([
    ['goes on', before, tally(20, 30), before],
    ['is told anew when it is much worse', before, tally(27, 30), { ...before, reported: tally(27, 30) }],
    ['calms down', before, tally(10, 30), calm(0)],
    ['is not over while others may yet come back', calm(119_999), tally(0, 30), calm(119_999)],
    ['is over after two minutes', calm(120_000), tally(10, 30), undefined],
    ['comes back', calm(60_000), tally(18, 30), before],
    ['is over when all machines have gone, after a while as well', before, tally(0, 0), calm(0)],
  ])('%s', (_what, outage, now, next) => {
    expect(nextOutage(outage, now, { now: NOW, ...limits })).toEqual(next as never);
  });
});

describe('as many machines of a zone may be replaced at once', () => {
  test.each([
    ['one of few', { percent: 10 }, 9, 1],
    ['one of ten', { percent: 10 }, 19, 1],
    ['two of twenty', { percent: 10 }, 20, 2],
    ['as the number says', { count: 5 }, 3, 5],
    ['at least one', { percent: 0 }, 100, 1],
  ])('%s', (_what, budget, total, allowed) => expect(budgetOf(tally(0, total), { budget })).toBe(allowed));
});

describe('a machine whose time is over', () => {
  const quiet: Area = { tally: tally(3, 60) };
  const outage: Outage = { since: NOW - 1, reported: tally(18, 30) };
  const recovering: Outage = { ...outage, calmSince: NOW - 100_000 };
  const rows: Array<[string, { zone: Area; cluster: Area }, unknown]> = [
    ['is given up in a quiet zone', { zone: { zone: 'a', tally: tally(3, 30) }, cluster: quiet }, undefined],
    [
      'is not in an outage of its zone',
      { zone: { zone: 'a', tally: tally(18, 30), outage }, cluster: quiet },
      {
        reason: 'ZoneOutage',
        message: '18 of 30 machines in zone a are unhealthy (60 %, limit 55 %): that is an outage',
        ms: 30_000,
      },
    ],
    [
      'is not while its zone recovers, until that is over',
      { zone: { zone: 'a', tally: tally(2, 30), outage: recovering }, cluster: quiet },
      {
        reason: 'ZoneRecovering',
        message: 'zone a recovers from an outage, and its machines get until 2026-01-01T01:00:20Z to come back',
        ms: 20_000,
      },
    ],
    [
      'is not when many zones together are an outage',
      { zone: { zone: 'a', tally: tally(2, 2) }, cluster: { tally: tally(12, 12), outage } },
      expect.objectContaining({
        reason: 'ClusterOutage',
        message: expect.stringContaining('machines in the target cluster are unhealthy'),
      }),
    ],
    [
      'is not while its cluster recovers',
      { zone: { zone: 'a', tally: tally(2, 2) }, cluster: { tally: tally(2, 12), outage: recovering } },
      expect.objectContaining({ reason: 'ClusterRecovering' }),
    ],
    [
      'waits for those that are being replaced',
      { zone: { zone: 'a', tally: tally(4, 30, 3) }, cluster: quiet },
      {
        reason: 'ZoneBudgetExhausted',
        message: '3 machines of this namespace in zone a are being replaced already, and 3 may be at a time',
        ms: 5_000,
      },
    ],
    [
      'learns whose machines were counted where there are others',
      {
        zone: { zone: 'a', tally: tally(18, 30), outage: { ...outage, reported: { ...tally(18, 30), alone: true } } },
        cluster: quiet,
      },
      expect.objectContaining({
        message: expect.stringContaining('18 of 30 machines of this namespace in zone a are'),
      }),
    ],
    [
      'without a zone is one of those that have none',
      { zone: { zone: '', tally: tally(18, 30), outage }, cluster: quiet },
      expect.objectContaining({ message: expect.stringContaining('machines in no zone are unhealthy') }),
    ],
  ];
  test.each(rows)('%s', (_what, areas, hold) =>
    expect(holdIn(areas, { now: NOW, wall: WALL, ...limits })).toEqual(hold as never),
  );
});

test('a calm that is over, and not counted yet, is looked at a second later, not at once', () => {
  const over: Outage = { since: NOW - 300_000, calmSince: NOW - 121_000, reported: tally(20, 30) };
  const zone = { zone: 'a', tally: tally(2, 30), outage: over };
  expect(holdIn({ zone, cluster: { tally: tally(2, 30) } }, { ...limits, now: NOW, wall: WALL })?.ms).toBe(1_000);
});
