import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BORN, machineDeployment } from '../../../test/fixtures/objects.ts';
import { newSetReplicas, type Rollout, shrinkOldSets } from './rollout.ts';
import { type Size, setOf } from './view.fixture.ts';
import { resolve, specReplicas, sum } from './view.ts';

const pool = machineDeployment();
const ten = { replicas: 10, surge: 3, unavailable: 2 };
const rollout = (numbers: Rollout['numbers'], fresh: Size, ...old: Size[]): Rollout => ({
  now: BORN + 60_000,
  numbers,
  newSet: setOf(pool, 'new', fresh),
  oldSets: old.map((size, at) => setOf(pool, `old-${at}`, size)),
});
const grown = ({ numbers, newSet, oldSets }: Rollout) =>
  newSetReplicas(numbers, specReplicas(newSet), [newSet, ...oldSets]);
const shrunk = (seen: Rollout) =>
  Object.fromEntries(shrinkOldSets(seen).map(({ set, replicas }) => [set.metadata.name, replicas]));

describe('a rolling step (hack/spec/mcm.md Annex B)', () => {
  test.each([
    ['begins with as many new machines as may be above', rollout(ten, { wants: 0 }, { wants: 10 }), 3, {}],
    [
      'takes away as many old ones as may be missing',
      rollout(ten, { wants: 3, available: 0 }, { wants: 10 }),
      3,
      { 'old-0': 8 },
    ],
    [
      'waits while machines on their way out take room',
      rollout(ten, { wants: 3, available: 0 }, { wants: 8, available: 8, others: 2 }),
      3,
      {},
    ],
    ['grows by what became free', rollout(ten, { wants: 3, available: 0 }, { wants: 8 }), 5, {}],
    [
      'stops when the new machines never become available',
      rollout(ten, { wants: 5, available: 0 }, { wants: 8 }),
      5,
      {},
    ],
    [
      'takes away unavailable old ones first, the oldest set first',
      rollout(ten, { wants: 3 }, { wants: 5, available: 4 }, { wants: 5, available: 3 }),
      3,
      { 'old-0': 2, 'old-1': 3 },
    ],
    [
      'takes a preserved Failed one for no surplus',
      rollout({ replicas: 3, surge: 0, unavailable: 0 }, { wants: 0 }, { wants: 3, available: 2, preserved: 1 }),
      0,
      {},
    ],
    [
      'goes on beside a preserved Failed one',
      rollout({ replicas: 3, surge: 1, unavailable: 0 }, { wants: 1 }, { wants: 3, available: 2, preserved: 1 }),
      1,
      { 'old-0': 2 },
    ],
    ['ends with the last old one', rollout(ten, { wants: 10 }, { wants: 2 }), 10, { 'old-0': 0 }],
    ['brings back a new set that is too large', rollout(ten, { wants: 12 }, { wants: 0 }), 10, {}],
  ] as Array<[string, Rollout, number, object]>)('%s', (_what, seen, size, old) => {
    expect(grown(seen)).toBe(size);
    if (size === specReplicas(seen.newSet)) expect(shrunk(seen)).toEqual(old as never);
  });
});

test('whatever the limits, a rollout whose machines become ready ends, and never leaves them', () => {
  const part = fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`);
  const limits = fc.record({ replicas: fc.integer({ min: 1, max: 25 }), maxSurge: part, maxUnavailable: part });
  fc.assert(
    fc.property(limits, ({ replicas, maxSurge, maxUnavailable }) => {
      const numbers = { replicas, ...resolve(replicas, maxSurge, maxUnavailable) };
      let [fresh, old] = [0, replicas];
      for (let turn = 0; fresh < replicas || old > 0; turn++) {
        expect(turn).toBeLessThan(100);
        const seen = rollout(numbers, { wants: fresh }, { wants: old });
        expect(sum([seen.newSet, ...seen.oldSets], specReplicas)).toBeLessThanOrEqual(replicas + numbers.surge);
        expect(fresh + old).toBeGreaterThanOrEqual(replicas - numbers.unavailable);
        const next = grown(seen);
        if (next === fresh) old = shrunk(seen)['old-0'] ?? old;
        fresh = next;
      }
    }),
  );
});
