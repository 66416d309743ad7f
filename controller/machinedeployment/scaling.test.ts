import { describe, expect, test } from 'bun:test';
import { BORN, machineDeployment } from '../../test/fixtures/objects.ts';
import { numbersOf, sizeAnnotations } from './numbers.ts';
import { isScalingEvent, planScaling, type Sizes, withOldLimits } from './scaling.ts';
import { setOf } from './view.fixture.ts';

const deployment = (replicas: number) =>
  machineDeployment({ spec: { replicas, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } } });

function sizes(replicas: number, [a, b, fresh]: number[], scaledFor: [number, number]): Sizes {
  const pool = deployment(replicas);
  const size = (wants = 0) => ({ wants, scaledFor });
  const oldSets = [setOf(pool, 'old-a', size(a)), setOf(pool, 'old-b', size(b))];
  return {
    now: BORN + 60_000,
    deployment: pool,
    numbers: numbersOf(pool),
    newSet: setOf(pool, 'new', size(fresh)),
    oldSets,
  };
}

describe('scaling while a rollout is under way keeps proportions (MCM Annex B)', () => {
  test.each([
    [10, [1, 3, 5], [7, 9], [1, 3, 8], [10, 12]],
    [3, [1, 3, 5], [7, 9], [1, 2, 2], [3, 5]],
    [5, [1, 3, 6], [8, 10], [1, 2, 4], [5, 7]],
    [1, [0, 0, 1], [2, 3], [undefined, undefined, 1], [1, 3]],
    [0, [1, 3, 5], [7, 9], [0, 0, 0], [0, 2]],
  ] as Array<[number, number[], [number, number], number[], [number, number]]>)(
    'to %p: %p of %p become %p of %p',
    (replicas, before, scaledFor, after, [desired, most]) => {
      const seen = sizes(replicas, before, scaledFor);
      const scalings = new Map(planScaling(seen).map(({ set, replicas: to }) => [set.metadata.name, to]));
      expect(isScalingEvent(seen)).toBe(true);
      expect(['old-a', 'old-b', 'new'].map((name) => scalings.get(name))).toEqual(after);
      expect(sizeAnnotations(seen.numbers)).toEqual({
        'deployment.kubernetes.io/desired-replicas': String(desired),
        'deployment.kubernetes.io/max-replicas': String(most),
      });
    },
  );

  test('to 7: [1, 3, 5] of [7, 9] are left alone, for that is no event', () =>
    expect(isScalingEvent(sizes(7, [1, 3, 5], [7, 9]))).toBe(false));
});

test('sets that want machines are told of another surge, at the size that they have (hack/decisions/0051 S13)', () => {
  const seen = sizes(7, [0, 3, 5], [7, 8]);
  expect(isScalingEvent(seen)).toBe(false);
  expect(withOldLimits(seen).map(({ set, replicas }) => [set.metadata.name, replicas])).toEqual([
    ['new', 5],
    ['old-b', 3],
  ]);
  expect(withOldLimits(sizes(7, [1, 3, 5], [7, 9]))).toEqual([]);
});

test('a single set takes all of it', () => {
  expect(planScaling(sizes(5, [0, 0, 1], [1, 3])).map(({ set, replicas }) => [set.metadata.name, replicas])).toEqual([
    ['new', 5],
  ]);
  expect(planScaling(sizes(5, [0, 2, 0], [2, 4])).map(({ set, replicas }) => [set.metadata.name, replicas])).toEqual([
    ['old-b', 5],
  ]);
});

test('from none, the new set takes all of it', () => {
  const seen = sizes(4, [0, 0, 0], [0, 0]);
  expect(isScalingEvent(seen)).toBe(true);
  expect(planScaling(seen).map(({ set, replicas }) => [set.metadata.name, replicas])).toEqual([['new', 4]]);
});

test('a new set that has all it wants ends the old ones', () => {
  const seen = sizes(7, [1, 0, 7], [7, 9]);
  expect(planScaling(seen).map(({ set, replicas }) => [set.metadata.name, replicas])).toEqual([['old-a', 0]]);
});
