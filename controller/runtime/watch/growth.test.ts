import { expect, test } from 'bun:test';
import type { ConfigMap } from '../k8s/core.ts';
import { accountOf } from '../memory/cacheroom.ts';
import { weightOf } from '../memory/weight.ts';
import { Cache } from './cache.ts';
import { Growth } from './growth.ts';

// hack/decisions/0028 W8

const MOST = { objects: 10, bytes: 20_000 };

const sheep = (name: string, version: number, wool = 2_000): ConfigMap => ({
  metadata: { name, namespace: 'farm', uid: `uid-${name}`, resourceVersion: String(version) },
  data: { wool: 'x'.repeat(wool) },
});

/** A bounded cache with these objects, and what is told of it. */
function begin(...items: ConfigMap[]) {
  const cache = new Cache<ConfigMap>();
  const account = accountOf(MOST.bytes);
  const growth = new Growth(cache, { most: MOST, account });
  const reset = () => {
    account.drop();
    for (const item of items) account.list(weightOf(item));
    return growth.isTooMuch({ type: 'reset', items, resourceVersion: '1' }, () => cache.reset(items, '1'));
  };
  const put = (object: ConfigMap) => growth.isTooMuch({ type: 'put', object }, () => cache.put(object));
  const drop = (object: ConfigMap) => growth.isTooMuch({ type: 'drop', object }, () => cache.drop(object));
  const absent = () => growth.isTooMuch({ type: 'absent' }, () => cache.absent());
  reset();
  return { reset, put, drop, absent, account };
}

test('an object that changes again and again is no growth', () => {
  const { put } = begin(sheep('a', 1));
  for (let version = 2; version < 1_000; version++) expect(put(sheep('a', version))).toBe(false);
});

test('objects that come and go are no growth', () => {
  const { put, drop } = begin();
  for (let version = 2; version < 1_000; version += 2) {
    expect(put(sheep(`pod-${version}`, version))).toBe(false);
    expect(drop(sheep(`pod-${version}`, version + 1))).toBe(false);
  }
});

test('an object that grows is, and so are many', () => {
  const one = begin(sheep('a', 1));
  expect(one.put(sheep('a', 2, 19_000))).toBe(false);
  expect(one.put(sheep('a', 3, 20_000))).toBe(true);
  const many = begin();
  const told = Array.from({ length: 12 }, (_, at) => many.put(sheep(`pod-${at}`, 2 + at, 10)));
  expect(told.indexOf(true)).toBe(10);
});

test('a list is the beginning of a new account', () => {
  const { put, reset } = begin(sheep('a', 1));
  expect(put(sheep('b', 2, 18_000))).toBe(true);
  expect(reset()).toBe(false);
  expect(put(sheep('c', 3, 10_000))).toBe(false);
});

test('an object that comes again larger in the version that is there is growth, too', () => {
  const { put } = begin(sheep('a', 1));
  expect(put(sheep('a', 1, 23_000))).toBe(true);
});

// hack/decisions/0028 T16
test('what is held is counted from the list on, and nothing of what is gone', () => {
  const { put, drop, absent, account } = begin(sheep('a', 1), sheep('b', 1));
  expect(account.used).toBe(weightOf(sheep('a', 1)) + weightOf(sheep('b', 1)));
  put(sheep('a', 2, 3_000));
  drop(sheep('b', 3));
  expect(account.used).toBe(weightOf(sheep('a', 2, 3_000)));
  absent();
  expect(account.used).toBe(0);
});
