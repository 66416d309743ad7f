import { expect, test } from 'bun:test';
import { run } from './run.ts';

const usual = {
  strategies: ['RollingUpdate'],
  bad: false,
  pause: false,
  ill: false,
  gone: 0.25,
  minReadySeconds: 0,
} as const;

/** Seeds of each row: `SEEDS=1000 bun test test/planners` looks at more. */
const SEEDS = Number(Bun.env['SEEDS'] ?? 12);

/** hack/decisions/0051 S5. */
test.each([
  ['rolled', usual],
  ['rolled, with VMs that go slowly', { ...usual, gone: 0.05 }],
  ['rolled to templates that never come up', { ...usual, bad: true }],
  ['rolled while machines become unhealthy', { ...usual, ill: true, bad: true }],
  ['rolled, paused and resumed', { ...usual, pause: true, gone: 0.1 }],
  // hack/decisions/0051 S7
  ['rolled, with machines that take a while to be available', { ...usual, minReadySeconds: 60 }],
  // hack/decisions/0058
  ['rolled, and shrinks meanwhile', { ...usual, shrink: true, minReadySeconds: 120 }],
  ['recreated', { ...usual, strategies: ['Recreate'] }],
  ['recreated, paused and resumed', { ...usual, strategies: ['Recreate'], pause: true, gone: 0.1 }],
  ['rolled in any way', { ...usual, strategies: ['RollingUpdate', 'Recreate'], ill: true, bad: true, gone: 0.1 }],
] as const)('a deployment that is %s has never more machines than allowed, nor fewer, and settles', (_, habits) => {
  const found = Array.from({ length: SEEDS }, (_, seed) => [seed, run(seed, habits)]).filter(([, why]) => why);
  expect(found).toEqual([]);
});
