import { expect, test } from 'bun:test';
import { type CacheAccount, CacheRoom } from './cacheroom.ts';

// hack/decisions/0028 T16

const MIB = 1 << 20;
const room = (bounds = {}) => new CacheRoom({ all: 256 * MIB, each: 128 * MIB, shared: true, ...bounds });

/** A list of so many MiB, in pieces of one; answers why it was refused. */
function listed(account: CacheAccount, mib: number): string | undefined {
  account.drop();
  for (let at = 0; at < mib; at++) {
    const why = account.list(MIB);
    if (why === undefined) continue;
    account.drop();
    return why;
  }
  account.settle();
  return undefined;
}

test('a cluster has one bound for all of its kinds', () => {
  const cluster = room().open('farm');
  expect(listed(cluster.account('pods'), 100)).toBeUndefined();
  expect(listed(cluster.account('nodes'), 29)).toBe('128 MiB, all kinds of its cluster together');
  expect(listed(cluster.account('nodes'), 28)).toBeUndefined();
});

test('a party has half of what the others leave, however many clusters it has', () => {
  const all = room();
  const kept = Array.from({ length: 50 }, () => all.open('farm').account('pods')).filter((one) => !listed(one, 20));
  expect(kept).toHaveLength(6);
  expect(listed(all.open('mill').account('pods'), 65)).toBeUndefined();
  expect(listed(all.open('inn').account('pods'), 40)).toBe('the memory that other clusters leave');
  expect(all.taken).toBe((120 + 65) * MIB);
});

test('without others to come a party may have all', () => {
  const all = room({ shared: false });
  expect(listed(all.open('farm').account('pods'), 128)).toBeUndefined();
  expect(listed(all.open('farm').account('pods'), 128)).toBeUndefined();
  expect(listed(all.open('farm').account('pods'), 1)).toBe('the memory that other clusters leave');
});

test('who has come before loses nothing to others', () => {
  const all = room();
  const first = all.open('farm').account('pods');
  expect([listed(first, 128), listed(all.open('mill').account('pods'), 60)]).toEqual([undefined, undefined]);
  expect(listed(first, 128)).toBeUndefined();
  expect(first.grow(MIB)).toBe('128 MiB, all kinds of its cluster together');
  expect(listed(first, 129)).toBeDefined();
  expect(listed(first, 20)).toBeUndefined();
  expect(listed(first, 128)).toBe('the memory that other clusters leave');
});

test('a list that is refused, or not kept, costs nothing', () => {
  const all = room();
  const account = all.open('farm').account('pods');
  listed(account, 10);
  listed(account, 200);
  expect(all.taken).toBe(10 * MIB);
  account.list(MIB);
  expect(all.taken).toBe(10 * MIB);
  account.list(20 * MIB);
  expect(all.taken).toBe(21 * MIB);
  account.drop();
  expect(all.taken).toBe(10 * MIB);
});

test('what a watch adds is counted, and what it takes away', () => {
  const all = room({ each: 10 * MIB });
  const account = all.open('farm').account('pods');
  expect([account.grow(9 * MIB), account.grow(-4 * MIB), account.grow(5 * MIB)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(account.grow(MIB)).toBe('10 MiB, all kinds of its cluster together');
  expect(account.grow(-MIB)).toBeUndefined();
  expect(all.taken).toBe(10 * MIB);
});

test('a cluster that is closed leaves nothing, whatever still comes', () => {
  const all = room();
  const cluster = all.open('farm');
  listed(cluster.account('pods'), 10);
  cluster.close();
  cluster.account('pods').grow(MIB);
  cluster.account('nodes').list(MIB);
  expect(all.taken).toBe(0);
});
