import { describe, expect, test } from 'bun:test';
import { isOut, type Tally } from './policy.ts';
import { judgedIn } from './zonehealth.ts';

// hack/decisions/0028 T3, hack/decisions/0044

const LIMIT = 55;
type Machines = readonly [unhealthy: number, total: number];
const tally = ([unhealthy, total]: Machines): Tally => ({ unhealthy, total, replaced: 0 });
const voiceOf = (machines: Machines, heard = machines) => ({ own: tally(machines), heard: tally(heard) });
const among = (others: readonly Machines[], own: Machines) =>
  new Map([['own', voiceOf(own)], ...others.map((other, at) => [`other-${at}`, voiceOf(other)] as const)]);
const frozen = (own: Machines, others: readonly Machines[]) => isOut(judgedIn(among(others, own), LIMIT)('own'), LIMIT);

describe('a zone is out for a namespace of which so many machines are unhealthy', () => {
  test.each<[what: string, own: Machines, others: Machines[], is: boolean]>([
    ['by its own machines, whoever else is healthy there', [3, 5], [[0, 1_000]], true],
    [
      'by those of all: one machine among many',
      [1, 1],
      [
        [30, 30],
        [9, 10],
      ],
      true,
    ],
    [
      'one machine of each of four',
      [1, 1],
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      true,
    ],
    [
      'one machine of each of three: nobody can tell without one of them',
      [1, 1],
      [
        [1, 1],
        [1, 1],
      ],
      false,
    ],
    ['not by one other, however many these are', [1, 1], [[1_000, 1_000]], false],
    [
      'not by one other beside some that are healthy',
      [1, 1],
      [
        [1_000, 1_000],
        [0, 3],
      ],
      false,
    ],
    [
      'not by one other beside some of which few are unhealthy',
      [2, 2],
      [
        [1_000, 1_000],
        [7, 30],
      ],
      false,
    ],
    [
      'nor by one that is unhealthy in part, and large',
      [0, 4],
      [
        [600, 1_000],
        [3, 4],
      ],
      false,
    ],
    [
      'by many of which most are unhealthy in part',
      [1, 2],
      [
        [2, 2],
        [1, 2],
        [2, 2],
        [1, 1],
      ],
      true,
    ],
    [
      'not when few others are unhealthy, and it is large',
      [5, 1_000],
      [
        [3, 3],
        [3, 3],
        [3, 3],
      ],
      false,
    ],
    ['not when nobody is', [0, 0], [], false],
  ])('%s', (_what, own, others, is) => expect(frozen(own, others)).toBe(is));

  test('and says which machines were counted', () => {
    const judged = judgedIn(among([[0, 9]], [3, 3]), LIMIT);
    expect(judged('own')).toEqual({ ...tally([3, 3]), alone: true });
    expect(judged('other-0')).toEqual(tally([0, 9]));
    expect(judgedIn(among([], [3, 3]), LIMIT)('own')).toEqual(tally([3, 3]));
    expect(
      judgedIn(
        among(
          [
            [30, 30],
            [9, 10],
          ],
          [1, 1],
        ),
        LIMIT,
      )('own'),
    ).toEqual(tally([40, 41]));
  });

  // hack/decisions/0028 O19
  test('machines that nobody confirmed count for their own namespace, and for no other', () => {
    const many = { own: tally([2, 2]), heard: tally([1, 1]) };
    const alike = new Map(['a', 'b', 'c', 'd'].map((name) => [name, many]));
    expect(judgedIn(alike, LIMIT)('a')).toEqual(tally([5, 5]));
    const silent = new Map(['a', 'b', 'c'].map((name) => [name, voiceOf([9, 9], [0, 0])]));
    const judged = judgedIn(new Map([...silent, ['victim', voiceOf([1, 3])]]), LIMIT);
    expect(judged('a')).toEqual({ ...tally([9, 9]), alone: true });
    expect(judged('victim')).toEqual(tally([1, 3]));
  });

  test('no namespace alone freezes another, with whatever numbers', () => {
    for (let seed = 0; seed < 5_000; seed++) {
      const number = (at: number, most: number) => Math.floor(Math.abs(Math.sin(seed * 7 + at) * 1e6) % (most + 1));
      const machines = (at: number, most: number): Machines => {
        const total = number(at, most);
        return [number(at + 1, total), total];
      };
      const own = machines(1, 6);
      const others = [machines(3, 6), machines(5, 6)];
      const added = machines(7, 60);
      const says = isOut(tally(own), LIMIT) || isOut(tally(sum([own, ...others])), LIMIT);
      if (frozen(own, [...others, added])) expect(says).toBe(true);
    }
  });
});

const sum = (all: readonly Machines[]): Machines => [
  all.reduce((before, [unhealthy]) => before + unhealthy, 0),
  all.reduce((before, [, total]) => before + total, 0),
];
