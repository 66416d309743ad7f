import { describe, expect, test } from 'bun:test';
import { after, failedFor, isUnreachable, type Probe, type ProbeState, unlessLate, unprobed } from './probestate.ts';

const LIMITS = { unreachableAfterMs: 30_000, silentMs: 100_000 };
const NEVER = Number.POSITIVE_INFINITY;
/** A list without which nothing can be judged has never come. */
const UNLISTED = { listedAt: Number.NEGATIVE_INFINITY };

/** A probe at so many seconds. */
type Row = [at: number, answered: boolean, seen?: Partial<Record<'endedAt' | 'heardAt' | 'listedAt', number>>];

const probeOf = ([at, answered, { endedAt = at, heardAt = at, listedAt = 0 } = {}]: Row): Probe => ({
  at: at * 1000,
  endedAt: endedAt * 1000,
  answered,
  heardAt: heardAt * 1000,
  listedAt: listedAt * 1000,
});

/** How it stands after these probes of a server that answered at 0. */
const through = (rows: readonly Row[], from: ProbeState = { backSince: 0 }): ProbeState =>
  rows.reduce((standing, row) => after(standing, probeOf(row), LIMITS), from);

const down = (from: number, to: number): Row[] =>
  Array.from({ length: (to - from) / 6 + 1 }, (_, index): Row => [from + index * 6, false]);

describe('hack/spec/mcm.md Annex B, API guard:', () => {
  test.each([
    [0, false],
    [30, false],
    [36, true],
  ])('an outage that began at the first probe is one at %p s: %p', (seconds, away) => {
    const standing = through(down(100, 100 + seconds));
    expect(isUnreachable(standing, (100 + seconds) * 1000, 30_000)).toBe(away);
    expect(standing.unreachableSince).toBe(100_000);
  });

  test('a good probe within the time resets the clock, so that blips do not add up (mends hack/spec/mcm.md 12, 10)', () => {
    expect(through([...down(100, 124), [130, true]])).toEqual({ backSince: 0 });
    expect(
      through([
        [100, false],
        [110, true],
        [500, false],
      ]),
    ).toEqual({ unreachableSince: 500_000, backSince: 0 });
  });
});

describe('after an outage a server counts as back', () => {
  const outage = down(100, 160);

  test('only once its caches were listed anew', () => {
    const answering = through([...outage, [166, true, { listedAt: 50 }]]);
    expect(answering).toEqual({ unreachableSince: 100_000, backSince: 0, answersSince: 166_000 });
    expect(through([[167, true, { listedAt: 165 }]], answering)).toEqual(answering);
    expect(through([[168, true, { listedAt: 166 }]], answering)).toEqual({ backSince: 168_000 });
  });

  test('from when the probe that found it so had ended: lists may have come while it was under way', () => {
    const answering = through([...outage, [166, true, { listedAt: 50 }]]);
    expect(through([[167, true, { endedAt: 170, listedAt: 166 }]], answering)).toEqual({ backSince: 170_000 });
  });

  test('not by lists from before it fell silent again', () => {
    const standing = through([...outage, [166, true], [172, false], [178, true, { listedAt: 170 }]]);
    expect(standing).toEqual({ unreachableSince: 100_000, backSince: 0, answersSince: 178_000 });
  });

  test('at once while nothing was ever listed', () => {
    expect(through([...outage, [166, true, { listedAt: NEVER, heardAt: NEVER }]])).toEqual({ backSince: 166_000 });
  });
});

test('a server that answers while a watch is dead is away', () => {
  const silent = through([[200, true, { heardAt: 99 }]]);
  expect(silent).toEqual({ unreachableSince: 200_000, backSince: 0 });
  expect(through([[206, true, { heardAt: 205 }]], silent)).toEqual({ backSince: 0 });
});

describe('before its first probe a server', () => {
  const begun = unprobed(100_000, { from: 70_000, unreachableAfterMs: 30_000 });

  test('counts as away', () => {
    expect(isUnreachable(begun, 100_000, 30_000)).toBe(true);
  });

  test('was never away if that probe succeeds', () => {
    expect(through([[100, true, { listedAt: 101 }]], begun)).toEqual({ backSince: 70_000 });
    expect(through([[100, true, { listedAt: NEVER }]], begun)).toEqual({ backSince: 70_000 });
  });

  test.each([
    [130, 70_000],
    [131, 131_000],
  ])('is away until its first lists come; at %p s it is back since %p', (seconds, backSince) => {
    const held = through([[100, true, UNLISTED]], begun);
    expect(held).toEqual(begun);
    expect(through([[seconds, true, { listedAt: 129 }]], held)).toEqual({ backSince });
  });

  test('is away at once if it fails, until it has answered and was listed', () => {
    const failed = through([[100, false]], begun);
    expect(isUnreachable(failed, 100_000, 30_000)).toBe(true);
    expect(through([[106, true, { listedAt: 107 }]], failed)).toEqual({ backSince: 106_000 });
  });
});

test('a process that stood still for longer than between two looks counts what it has seen as old', () => {
  const late = (seconds: number, standing: ProbeState) =>
    unlessLate(standing, { now: 200_000 + seconds * 1000, lookedAt: 200_000, latestMs: 40_000 });
  expect(late(40, { backSince: 5 })).toEqual({ backSince: 5 });
  const woken = late(600, { backSince: 5 });
  expect(woken).toEqual({ unreachableSince: 200_000, backSince: 5 });
  expect(late(600, { unreachableSince: 190_000, backSince: 5 })).toEqual({ unreachableSince: 190_000, backSince: 5 });
  const answering = through([[800, true, { heardAt: 200, listedAt: 0 }]], woken);
  expect(through([[802, true, { listedAt: 801 }]], answering)).toEqual({ backSince: 802_000 });
});

test('hack/decisions/0028 R5: of a time in which the process stood still no failure is counted', () => {
  const probe = { answered: false, elapsedMs: 6_000, mostMs: 11_000 };
  expect(failedFor(undefined, { ...probe, elapsedMs: 0 })).toBe(0);
  expect(failedFor(6_000, probe)).toBe(12_000);
  expect(failedFor(6_000, { ...probe, elapsedMs: 3_600_000 })).toBe(17_000);
  expect(failedFor(60_000, { ...probe, answered: true })).toBeUndefined();
});
