import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { at, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { autoPreserved, isFailedForGood, nextExpiry } from './preservation.ts';
import { statusOf } from './status.ts';
import { view } from './view.fixture.ts';
import type { Preserving } from './view.ts';

const KEY = 'node.machine.sapcloud.io/preserve';
const failed = (name: string, born: number, changes: { expiry?: number; word?: string } = {}): Machine =>
  inPhase('Failed', 0, {
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: at(born),
      ...(changes.word && { annotations: { [KEY]: changes.word } }),
    },
    status: {
      lastOperation: { state: 'Failed', type: 'HealthCheck' },
      ...(changes.expiry && { currentStatus: { preserveExpiryTime: at(changes.expiry) } }),
    },
  });
const [old, mid, young] = [failed('old', 0), failed('mid', 10), failed('young', 20)] as const;
const kept = { word: 'auto-preserved' };
const [soon, late, fresh] = [
  failed('soon', 5, { ...kept, expiry: 100 }),
  failed('late', 1, { ...kept, expiry: 200 }),
  failed('fresh', 0, kept),
] as const;

const seen = (machines: Machine[], preserving: Partial<Preserving>) =>
  view({ machines, preserving: { most: 0, counted: [], candidates: [], wished: new Set(), ...preserving } });

describe('Failed machines that nobody speaks of (hack/spec/mcm.md 6.12, auto-preservation)', () => {
  const rows: Array<[string, Machine[], Partial<Preserving>, string]> = [
    ['without a budget', [old], { candidates: [old] }, 'pass'],
    ['within the budget', [old, mid], { most: 2, candidates: [old, mid] }, 'PreserveFailedMachines mid old'],
    [
      'more than the budget: the newest',
      [old, mid, young],
      { most: 2, candidates: [old, mid, young] },
      'PreserveFailedMachines young mid',
    ],
    ['beside some that are kept', [soon, young], { most: 1, counted: [soon], candidates: [young] }, 'pass'],
    ['where another set has newer ones', [old], { most: 1, candidates: [old, young] }, 'pass'],
    [
      'where another set has older ones',
      [young],
      { most: 1, candidates: [old, young] },
      'PreserveFailedMachines young',
    ],
    [
      'the budget shrinks: the first to expire goes',
      [late, soon, fresh],
      { most: 2, counted: [late, soon, fresh] },
      'ReleasePreservedMachines soon',
    ],
    [
      'the budget is gone: all go',
      [late, fresh],
      { most: 0, counted: [late, fresh] },
      'ReleasePreservedMachines late fresh',
    ],
    ['the budget shrinks: another set’s goes', [late], { most: 1, counted: [late, soon] }, 'pass'],
  ];
  test.each(rows)('%s', (_what, machines, preserving, said) => {
    const outcome = autoPreserved(seen(machines, preserving));
    const names =
      outcome.kind === 'act' && outcome.action.do === 'annotate'
        ? [outcome.reason, ...outcome.action.machines.map(({ metadata }) => metadata.name)]
        : [outcome.kind];
    expect(names.join(' ')).toBe(said);
  });
});

describe('a Failed machine is lost (hack/spec/mcm.md 5.4)', () => {
  test.each([
    ['when nobody wants it', old, [], true],
    ['not when somebody wants it and its time has not begun', old, [old], false],
    ['not before its time', soon, [], false],
    ['when its time is over, whatever is wished', failed('over', 0, { ...kept, expiry: 60 }), [], true],
    ['not when it is not Failed', inPhase('Unknown'), [], false],
  ] as Array<[string, Machine, Machine[], boolean]>)('%s', (_what, machine, wished, lost) => {
    expect(isFailedForGood(machine, seen([machine], { wished: new Set(wished) }))).toBe(lost);
  });

  test('and the set looks again when the next time is over', () => {
    expect(nextExpiry(seen([soon, late, old], {}))).toBe(40_000);
    expect(nextExpiry(seen([old], {}))).toBe(Infinity);
  });
});

test('preserved machines are counted, and are no failures', () => {
  const machines = [soon, failed('word', 0, { word: 'now', expiry: 300 }), old, failed('over', 0, { expiry: 30 })];
  const status = statusOf(view({ machines, set: machineSet() }), undefined, at(60));
  expect(status).toMatchObject({ preservedFailedReplicas: 2, autoPreserveFailedMachineCount: 1 });
  expect(status.failedMachines?.map(({ name }) => name)).toEqual(['old', 'over']);
});
