import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import type { KubeObject } from '../k8s/object.ts';
import { Cache } from './cache.ts';

// hack/decisions/0028 T61: what a target answers to a write is waited for in its cache; its watch may never reach the version.

const WRITES = 30;
const MOST_MIB = 8;

const mib = (bytes: number): number => Math.round(bytes / (1 << 20));

test('an object that is waited for is not kept', () => {
  const cache = new Cache<KubeObject>();
  cache.reset([], '1');
  const answer = (at: number) => ({
    metadata: { name: `n${at}`, resourceVersion: '99999999999' },
    junk: Array.from({ length: 500_000 }, () => []),
  });
  Bun.gc(true);
  const before = heapStats().heapSize;
  for (let at = 0; at < WRITES; at++) void cache.whenSeen(JSON.parse(JSON.stringify(answer(at))));
  Bun.gc(true);
  expect(mib(heapStats().heapSize - before)).toBeLessThan(MOST_MIB);
});

test.each([
  ['too long', '9'.repeat(129)],
  ['none', 'abc'],
])('a version that is %s is not waited for, also before the first list', async (_what, resourceVersion) => {
  const cache = new Cache<KubeObject>();
  const object = { metadata: { name: 'n', resourceVersion } };
  await expect(cache.whenSeen(object)).rejects.toThrow('n has no resourceVersion that could be waited for');
  cache.reset([], '1');
  await expect(cache.whenSeen(object)).rejects.toThrow(TypeError);
});

test.each([{}, { metadata: {} }, { metadata: { name: 'n', resourceVersion: {} } }])(
  'what is none, %j, is nobody’s mistake if nobody waits any more',
  async (answer) => {
    void new Cache<KubeObject>().whenSeen(answer as KubeObject);
    // A rejection that nobody handles fails the test.
    await Bun.file(import.meta.path).text();
  },
);
