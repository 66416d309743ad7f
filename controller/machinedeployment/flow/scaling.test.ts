import { describe, expect, test } from 'bun:test';
import { ANNOTATION_MARKED, ANNOTATION_PRIORITY, ANNOTATION_SCALED_BY_SCALER } from '../../../schemas/keys.ts';
import { at, BORN, machineDeployment } from '../../../test/fixtures/objects.ts';
import { isScalingEvent, planScaling, type Sizes, withOldLimits } from './scaling.ts';
import { setOf } from './view.fixture.ts';
import { numbersOf, type SetFact, sizeAnnotations } from './view.ts';

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

describe('scaling while a rollout is under way keeps proportions (hack/spec/mcm.md Annex B)', () => {
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

test('of sets that are not available no more is taken for those that are than has to be (hack/decisions/0058)', () => {
  const pool = limited(4, { maxSurge: 1, maxUnavailable: 1 });
  const size = (wants: number, available: number) => {
    const scaledFor: [number, number] = [8, 9];
    return { wants, available, others: wants - available, scaledFor };
  };
  const oldSets = [setOf(pool, 'old-a', size(1, 0)), setOf(pool, 'old-b', size(3, 0))];
  const newSet = setOf(pool, 'new', size(4, 4));
  const scalings = planScaling({ now: BORN + 60_000, deployment: pool, numbers: numbersOf(pool), newSet, oldSets });
  expect(Object.fromEntries(scalings.map(({ set, replicas }) => [set.metadata.name, replicas]))).toEqual({
    'old-a': 0,
    'old-b': 2,
    new: 3,
  });
});

interface Shrinking {
  limits: { maxSurge: number | string; maxUnavailable: number | string };
  replicas: [before: number, after: number];
  /** Machines of the old set, which are available, and of the new set, none of which is. */
  sizes: [old: number, fresh: number];
}

const limited = (replicas: number, rollingUpdate: Shrinking['limits']) =>
  machineDeployment({ spec: { replicas, strategy: { rollingUpdate } } });

/** Every way in which a deployment of up to 8 machines may shrink in the middle of a rollout. */
function* shrinkings(): Generator<Shrinking> {
  for (const maxSurge of [0, 1, 3, '25%', '100%'])
    for (const maxUnavailable of maxSurge === 0 ? [1, 2, '25%', '50%'] : [0, 1, 2, '25%', '50%'])
      for (let before = 2; before <= 8; before += 1) yield* inTheMiddle({ maxSurge, maxUnavailable }, before);
}

function* inTheMiddle(limits: Shrinking['limits'], before: number): Generator<Shrinking> {
  const { surge, unavailable } = numbersOf(limited(before, limits));
  for (let after = 1; after < before; after += 1)
    for (let old = Math.max(1, before - unavailable); old <= before; old += 1)
      for (let fresh = 1; fresh <= Math.min(before, before + surge - old); fresh += 1)
        yield { limits, replicas: [before, after], sizes: [old, fresh] };
}

/** Sizes of the old and the new set after that, and the least and the sum that they should have. */
function shrunk({ limits, replicas: [before, after], sizes: [old, fresh] }: Shrinking) {
  const deployment = limited(after, limits);
  const numbers = numbersOf(deployment);
  const scaledFor: [number, number] = [before, before + numbersOf(limited(before, limits)).surge];
  const oldSet = setOf(deployment, 'old', { wants: old, scaledFor });
  const newSet = setOf(deployment, 'new', { wants: fresh, available: 0, others: fresh, scaledFor });
  const planned = planScaling({ now: BORN + 60_000, deployment, numbers, newSet, oldSets: [oldSet] });
  const sizeOf = (name: string) => planned.find(({ set }) => set.metadata.name === name)?.replicas ?? Number.NaN;
  const least = Math.min(old, after - numbers.unavailable);
  return { old: sizeOf('old'), fresh: sizeOf('new'), least, sum: after + numbers.surge };
}

// hack/decisions/0058: with machines of the new template on their way, shares took machines that had to stay available.
test('a deployment that shrinks in a rollout keeps as many available as it promises, whatever the shares are', () => {
  const wrong = [...shrinkings()].filter((shrinking) => {
    const { old, fresh, least, sum } = shrunk(shrinking);
    return !(old >= least && old + fresh === sum);
  });
  expect(wrong).toEqual([]);
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

// hack/decisions/0051 S14: the sets were scaled in proportion, so that other machines went, and some of those named were made again.
describe('machines that a scaler names in a rollout go, and none else', () => {
  const marks = { [ANNOTATION_PRIORITY]: '1', [ANNOTATION_MARKED]: at(50) };
  const marked = (fact: SetFact, count: number): SetFact => {
    const machines = fact.machines.map((machine, index) => {
      const annotations = index < count ? { ...machine.metadata.annotations, ...marks } : machine.metadata.annotations;
      return { ...machine, metadata: { ...machine.metadata, annotations } };
    });
    return { ...fact, machines };
  };
  const sizesOf = (replicas: number, [a, b, fresh]: number[], [inA, inB, inFresh]: number[]) => {
    const seen = sizes(replicas, [a, b, fresh] as number[], [10, 12]);
    const [oldA, oldB] = seen.oldSets as [SetFact, SetFact];
    const { deployment } = seen;
    const scaled = {
      ...deployment,
      metadata: { ...deployment.metadata, annotations: { [ANNOTATION_SCALED_BY_SCALER]: at(50) } },
    };
    const oldSets = [marked(oldA, inA ?? 0), marked(oldB, inB ?? 0)];
    const facts = { ...seen, deployment: scaled, oldSets, newSet: marked(seen.newSet, inFresh ?? 0) };
    const scalings = new Map(planScaling(facts).map(({ set, replicas: to }) => [set.metadata.name, to]));
    return ['old-a', 'old-b', 'new'].map((name) => scalings.get(name));
  };

  test.each([
    ['in the new set', 7, [0, 5, 7], [0, 0, 3], [undefined, 5, 4]],
    ['in old sets', 7, [2, 3, 7], [1, 2, 0], [1, 1, 7]],
    ['in all sets', 7, [2, 3, 7], [1, 1, 1], [1, 2, 6]],
    ['though the rollout has room', 7, [0, 5, 5], [0, 0, 3], [undefined, 5, 2]],
    ['and others beside them, when the size falls by more', 5, [0, 5, 7], [0, 3, 0], [undefined, 2, 5]],
  ])('%s', (_what, replicas, before, named, after) => {
    expect<unknown>(sizesOf(replicas, before, named)).toEqual(after);
  });
});

// hack/decisions/0028 T86: how many sets a deployment has, whoever writes sets says
test('in proportion, each of many sets is looked up a few times, and none among all others', () => {
  const MANY = 1_000;
  let reads = 0;
  const seen = sizes(5, [1, 1, 5], [7, 9]);
  const [old] = seen.oldSets;
  const oldSets = Array.from({ length: MANY }, (): SetFact => {
    const set = { ...old?.set } as SetFact['set'];
    return {
      machines: [],
      get set() {
        reads += 1;
        return set;
      },
    };
  });
  expect(planScaling({ ...seen, oldSets })).toHaveLength(MANY + 1);
  expect(reads).toBeWithin(1, 40 * MANY);
});
