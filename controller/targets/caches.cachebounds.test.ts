import { expect, test } from 'bun:test';
import { CacheRoom } from '../runtime/memory/cacheroom.ts';
import { answerBounds, cacheBounds, memoryOf } from './caches.ts';

// hack/decisions/0028 T16

const MIB = 1 << 20;
const settings = { clusterCacheMib: 160, allClustersCacheMib: 0, namespace: '' };

test('caches of Clusters have a part of the memory, or what a setting says', () => {
  expect(cacheBounds(settings, 1024 * MIB)).toEqual({ all: 320 * MIB, each: 160 * MIB, shared: true });
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

/** What 5,000 Nodes with labels, annotations and conditions as Gardener's weigh, with 50,000 pods, their Leases and attachments. */
const LARGE = 133;

// hack/decisions/0028 O25
test.each([160, 512])('a lone Cluster of 5,000 Nodes is followed where one may have %d MiB', (clusterCacheMib) => {
  const account = new CacheRoom(cacheBounds({ ...settings, clusterCacheMib }, 1024 * MIB)).open('farm').account('all');
  expect(account.list(LARGE * MIB)).toBeUndefined();
});
