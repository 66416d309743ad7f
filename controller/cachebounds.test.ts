import { expect, test } from 'bun:test';
import { answerBounds, cacheBounds, memoryOf } from './cachebounds.ts';

// hack/decisions/0028 T16

const MIB = 1 << 20;
const settings = { clusterCacheMib: 128, allClustersCacheMib: 0, namespace: '' };

test('caches of Clusters have a quarter of the memory, or what a setting says', () => {
  expect(cacheBounds(settings, 1024 * MIB)).toEqual({ all: 256 * MIB, each: 128 * MIB, shared: true });
  expect(cacheBounds({ ...settings, allClustersCacheMib: 700 }, 1024 * MIB).all).toBe(700 * MIB);
  expect(cacheBounds({ ...settings, namespace: 'herd' }, 1024 * MIB).shared).toBe(false);
});

test('answers that are under way have an eighth of it', () => {
  expect(answerBounds({ namespace: '' }, 1024 * MIB)).toEqual({ all: 128 * MIB, each: 128 * MIB, shared: true });
});

test.each([
  ['the environment', { BUN_JSC_forceRAMSize: '1048576' }, 2 * MIB],
  ['the control group', { BUN_JSC_forceRAMSize: '4194304' }, MIB],
  ['the control group alone', {}, MIB],
])('the memory is the least that is allowed: by %s', (_what, env, constrained) => {
  expect(memoryOf({ env, constrainedMemory: () => constrained })).toBe(MIB);
});

test('nobody bounds the memory but the machine', () => {
  expect(memoryOf({ env: {}, constrainedMemory: () => 0 })).toBeGreaterThan(MIB);
});
