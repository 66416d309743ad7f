import { describe, expect, test } from 'bun:test';
import { seededRandom } from '../random.ts';
import { type CacheAccount, CacheRoom } from './cacheroom.ts';

// hack/decisions/0028 T16

const MIB = 1 << 20;
const OTHERS = 'what others leave of the 256 MiB of all clusters';
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
  expect(listed(all.open('mill').account('pods'), 60)).toBeUndefined();
  expect(listed(all.open('inn').account('pods'), 40)).toBe(OTHERS);
  expect(all.taken).toBe((120 + 60) * MIB);
});

test('without others to come a party may have all, but for what its clusters may grow by', () => {
  const all = room({ shared: false });
  expect(listed(all.open('farm').account('pods'), 128)).toBeUndefined();
  expect(listed(all.open('farm').account('pods'), 112)).toBeUndefined();
  expect(listed(all.open('farm').account('pods'), 1)).toBe(OTHERS);
});

test('who has come before loses nothing to others', () => {
  const all = room();
  const first = all.open('farm').account('pods');
  expect([listed(first, 128), listed(all.open('mill').account('pods'), 50)]).toEqual([undefined, undefined]);
  expect(listed(first, 128)).toBeUndefined();
  expect(first.grow(MIB)).toBe('128 MiB, all kinds of its cluster together');
  expect(listed(first, 129)).toBeDefined();
  expect(listed(first, 20)).toBeUndefined();
  expect(listed(first, 128)).toBe(OTHERS);
});

// hack/decisions/0028 O24
test.each([
  ['of other namespaces', { shared: true }, (name: string) => name, 37],
  ['of its own namespace', { shared: true }, () => 'farm', 37],
  ['where one namespace has the controller', { shared: false }, () => 'farm', 48],
])('who has come before may grow by an eighth, whoever has come since (%s)', (_whose, bounds, partyOf, refused) => {
  const all = room(bounds);
  const first = all.open(partyOf('farm')).account('nodes');
  expect(listed(first, 32)).toBeUndefined();
  for (let at = 0; at < 40; at++) {
    listed(all.open(partyOf(`mill-${at}`)).account('nodes'), 30);
    listed(all.open(partyOf(`inn-${at}`)).account('nodes'), 2);
  }
  expect(listed(all.open(partyOf('late')).account('nodes'), 4)).toBe(OTHERS);
  expect([first.grow(MIB), listed(first, 33), listed(first, 36)]).toEqual([undefined, undefined, undefined]);
  expect([first.grow((refused - 36) * MIB), listed(first, refused)]).toEqual([OTHERS, OTHERS]);
  expect(all.taken).toBeLessThanOrEqual(257 * MIB);
});

// hack/decisions/0028 T24
describe('a grant is worth what is held under it', () => {
  test('where the Clusters of one namespace shrink and grow one after the other', () => {
    const all = room();
    const accounts = Array.from({ length: 40 }, () => all.open('farm').account('pods'));
    for (const account of accounts) {
      listed(account, 128);
      account.grow(-128 * MIB);
    }
    const kept = accounts.map((account) => listed(account, 100)).filter((why) => why === undefined);
    expect([kept.length, all.taken / MIB]).toEqual([1, 100]);
  });

  test('where the kinds of one Cluster do', () => {
    const all = room();
    const cluster = all.open('farm');
    const kinds = ['pods', 'nodes', 'leases'].map((kind) => cluster.account(kind));
    for (const account of kinds) {
      expect(listed(account, 128)).toBeUndefined();
      account.grow(-128 * MIB);
    }
    expect(kinds.map((account) => listed(account, 128) === undefined)).toEqual([true, false, false]);
  });

  test('whatever comes in whatever order: who is above his share is refused whatever makes it more', () => {
    const random = seededRandom(24);
    const all = room();
    const accounts = ['farm', 'farm', 'mill'].map((party, at) => all.open(party).account(`${at}`));
    const pick = (most: number) => Math.floor(random.next() * most);
    for (let step = 0; step < 5_000; step++) {
      const account = accounts[pick(accounts.length)];
      if (!account) throw new Error('no account');
      if (random.next() < 0.3) listed(account, pick(160));
      else if (random.next() < 0.5) account.grow(-Math.min(account.used, pick(160) * MIB));
      else if (account.grow(MIB) !== undefined) listed(account, Math.floor(account.used / MIB)) && account.grow(-MIB);
      expect(all.taken).toBeLessThanOrEqual(256 * MIB);
    }
  });
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
