import { describe, expect, test } from 'bun:test';
import { machineDeployment } from '../../../test/fixtures/objects.ts';
import { numbersOf, resolve } from './view.ts';

describe('surge is rounded up and unavailable down (hack/spec/mcm.md Annex B, fenceposts)', () => {
  test.each([
    ['0%', '1%', 2, 0, 1],
    ['1%', '25%', 2, 1, 0],
    ['1%', '0%', 1, 1, 0],
    ['10%', '10%', 15, 2, 1],
    ['50%', '0%', 40, 20, 0],
    [0, 0, 3, 0, 1],
    [1, 5, 3, 1, 3],
    [2, 1, 0, 2, 0],
  ])('%p and %p of %p machines are %p and %p', (maxSurge, maxUnavailable, replicas, surge, unavailable) => {
    expect(resolve(replicas, maxSurge, maxUnavailable)).toEqual({ surge, unavailable });
  });
});

test.each([
  ['Recreate', { replicas: 3, surge: 0, unavailable: 0 }],
  ['InPlaceUpdate', { replicas: 3, surge: 2, unavailable: 0 }],
  ['RollingUpdate', { replicas: 3, surge: 1, unavailable: 0 }],
] as const)('the limits of a %s', (type, numbers) => {
  const strategy = { type, inPlaceUpdate: { maxSurge: 2, maxUnavailable: 0, orchestrationType: 'Auto' as const } };
  expect(numbersOf(machineDeployment({ spec: { strategy } }))).toEqual(numbers);
});

test('an update in place by hand makes no machines above', () => {
  const inPlaceUpdate = { maxSurge: 2, maxUnavailable: 0, orchestrationType: 'Manual' as const };
  const strategy = { type: 'InPlaceUpdate' as const, inPlaceUpdate };
  expect(numbersOf(machineDeployment({ spec: { strategy } }))).toEqual({ replicas: 3, surge: 0, unavailable: 1 });
});
