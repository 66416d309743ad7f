import { describe, expect, test } from 'bun:test';
import { Ledger } from './ledger.ts';
import { vmWith } from './virtual.fixture.ts';

const room = (uid: string, capacity: number | undefined = 2) => ({ uid, class: 'herd/small', capacity });

describe('Room in a class', () => {
  test('is refused when all of it is taken', () => {
    const ledger = new Ledger();
    ledger.reserve(room('a'));
    ledger.reserve(room('b'));
    expect(() => ledger.reserve(room('c'))).toThrow(
      expect.objectContaining({
        code: 'ResourceExhausted',
        message: 'class herd/small has room for 2 virtual VMs, and all of it is taken',
      }),
    );
  });

  test('is not asked for twice by one VM', () => {
    const ledger = new Ledger();
    const address = ledger.reserve(room('a', 1));
    expect(ledger.reserve(room('a', 1))).toBe(address);
  });

  test('is each class’s own, and has no end unless one is set', () => {
    const ledger = new Ledger();
    ledger.reserve(room('a', 1));
    ledger.reserve({ uid: 'b', class: 'herd/large', capacity: 1 });
    for (let n = 0; n < 100; n++) ledger.reserve({ ...room(`c${n}`), capacity: undefined });
    expect(() => ledger.reserve(room('d', 101))).toThrow('has room for 101');
  });

  test('comes back when a VM is not made after all, or is gone', () => {
    const ledger = new Ledger();
    ledger.reserve(room('a', 1));
    ledger.release('a');
    ledger.release('a');
    const address = ledger.reserve(room('b', 1));
    ledger.follow(vmWith({ uid: 'b', address }), 'there');
    expect(() => ledger.reserve(room('c', 1))).toThrow('has room for 1');
    ledger.follow(vmWith({ uid: 'b', address }), 'vanished');
    expect(ledger.reserve(room('c', 1))).toMatch(/^10\./);
  });

  test('counts the VMs that were there before', () => {
    const ledger = new Ledger();
    ledger.follow(vmWith({ uid: 'a' }), 'there');
    ledger.follow(vmWith({ uid: 'a' }), 'there');
    ledger.reserve(room('b', 2));
    expect(() => ledger.reserve(room('c', 2))).toThrow('has room for 2');
  });
});

describe('Addresses', () => {
  test('are different for each VM and lie in 10.0.0.0/8', () => {
    const ledger = new Ledger();
    const addresses = Array.from({ length: 20_000 }, (_, n) =>
      ledger.reserve({ ...room(`vm-${n}`), capacity: undefined }),
    );
    expect(new Set(addresses).size).toBe(20_000);
    for (const address of addresses) expect(address).toMatch(/^10\.\d{1,3}\.\d{1,3}\.\d{1,3}$/);
  });

  test('of VMs that were there before are not given away again', () => {
    const fresh = new Ledger();
    const taken = fresh.reserve(room('a'));
    const ledger = new Ledger();
    ledger.follow(vmWith({ uid: 'older', address: taken }), 'there');
    expect(ledger.reserve(room('a'))).not.toBe(taken);
  });
});
