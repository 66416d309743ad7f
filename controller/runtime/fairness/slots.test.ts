import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from '../clock.fake.ts';
import { halfOfTheRest } from './bounds.ts';
import { Slots } from './slots.ts';

// hack/decisions/0028 W10, T5, T15

test.each([
  [50, 0, 25],
  [50, 25, 12],
  [50, 37, 6],
  [50, 49, 0],
  [50, 50, 0],
  [2, 0, 1],
  [2, 1, 0],
  [1, 0, 1],
])('of %p, of which others have %p, a party may have %p', (all, others, most) => {
  expect(halfOfTheRest(all, others)).toBe(most);
});

/**
 * A key is `party/class/name`, and one with a ! is urgent. Each class may have `ofClass`, and within its party no more than half of what its
 * other classes leave, if that is asked for; each party half of what others leave of `all`.
 */
function slotsOf({ ofClass = 2, all = 8, isNested = false } = {}) {
  const clock = new FakeClock();
  const called: string[] = [];
  const sharing = {
    askerOf: (key: string) => ({ priority: key.endsWith('!') ? 100 : 0, flow: key.split('/') }),
    levelOf: (priority: number) => priority,
  };
  const nested = { within: 1, most: (others: number, of: number) => Math.min(ofClass, of, halfOfTheRest(of, others)) };
  const bounds = [
    isNested ? nested : { most: () => ofClass },
    { most: (others: number) => halfOfTheRest(all, others) },
  ];
  const slots = new Slots({ clock, bounds, sharing, enqueue: (key) => void called.push(key) });
  const requestOf = (key: string) => {
    const [party = '', kind = ''] = key.split('/');
    return { key, groups: [`${party}/${kind}`, party] };
  };
  const inside: Array<() => void> = [];
  const enter = (key: string) => {
    const leave = slots.enter(requestOf(key));
    if (leave) inside.push(leave);
    return leave;
  };
  /** Who came in first leaves, and whoever is called comes in. */
  const turns = (count: number) => {
    for (let turn = 0, heard = called.length; turn < count; turn++) {
      inside.shift()?.();
      for (; heard < called.length; heard++) enter(called[heard] ?? '');
    }
  };
  const enterAll = (...keys: string[]) => keys.map(enter);
  return { clock, called, slots, requestOf, enter, enterAll, turns };
}

const times = (count: number, key: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => key(at));

describe('a slot is given', () => {
  test('as long as every group has room, and not once more', () => {
    const { enterAll } = slotsOf();
    const taken = enterAll('a/x/1', 'a/x/2', 'a/x/3', 'a/y/1', 'a/y/2', 'a/z/1', 'b/x/1', 'b/x/2', 'b/y/1');
    expect(taken.map((leave) => leave !== undefined)).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  test('and given back, once', () => {
    const { enter } = slotsOf({ ofClass: 1 });
    const leave = enter('a/x/1');
    leave?.();
    leave?.();
    expect([enter('a/x/2') !== undefined, enter('a/x/3')]).toEqual([true, undefined]);
  });

  test('half of what the others leave to each party, so that there is one for who comes next', () => {
    const { enterAll } = slotsOf({ all: 16, ofClass: 100 });
    const ofEach = ['a', 'b', 'c', 'd', 'e'].map((party) => {
      const taken = enterAll(...times(50, (at) => `${party}/${at}/m`));
      return taken.filter((leave) => leave !== undefined).length;
    });
    expect(ofEach).toEqual([8, 4, 2, 1, 0]);
  });
});

describe('who waits', () => {
  test('for its class holds up nobody of another, and is called when there is room in all', () => {
    const { called, enter } = slotsOf({ ofClass: 1 });
    const leave = enter('a/x/1');
    for (let at = 2; at < 100; at++) enter(`a/x/${at}`);
    expect(enter('a/y/1')).toBeDefined();
    expect(called).toEqual([]);
    leave?.();
    expect(called).toEqual(['a/x/2']);
  });

  test('lets the next one pass as soon as its own class is full', () => {
    const { called, enterAll, turns } = slotsOf({ all: 4, ofClass: 1 });
    enterAll('a/x/1', 'a/y/1', 'a/z/1!', 'a/z/2!', 'a/w/1');
    turns(2);
    expect(called).toEqual(['a/z/1!', 'a/w/1']);
  });

  test('with many classes takes turns with those who have one', () => {
    const { called, enter, turns } = slotsOf({ all: 4, ofClass: 100 });
    for (const key of times(500, (at) => `flood/${at}/m`)) enter(key);
    for (const party of ['b', 'c', 'd', 'e']) for (const name of ['1', '2']) enter(`${party}/x/${name}`);
    turns(10);
    expect(called.map((key) => key[0])).toEqual(['c', 'f', 'b', 'd', 'e', 'f', 'd', 'e', 'f', 'c']);
  });

  test('does not get the only slot twice while another waits', () => {
    const { called, enterAll, turns } = slotsOf({ all: 1 });
    enterAll('a/x/1', 'a/x/2', 'b/x/1');
    turns(1);
    enterAll('a/x/3');
    turns(2);
    expect(called).toEqual(['a/x/2', 'b/x/1', 'a/x/3']);
  });

  test('is called once there are more slots than there were, when anybody asks', () => {
    let most = 1;
    const called: string[] = [];
    const slots = new Slots({
      clock: new FakeClock(),
      bounds: [{ most: () => most }],
      enqueue: (key) => void called.push(key),
    });
    for (const key of ['a', 'b', 'c']) slots.enter({ key, groups: ['room'] });
    most = 2;
    slots.await({ key: 'c', groups: ['room'] });
    expect(called).toEqual(['b']);
  });

  test('urgently goes before the others of its party, though they came first', () => {
    const { called, enter, enterAll } = slotsOf({ all: 2 });
    const leave = enter('a/x/1');
    enterAll('a/x/2', 'a/y/1', 'a/z/1!');
    leave?.();
    expect(called).toEqual(['a/z/1!']);
  });

  test('loses what is kept for it after a while, when it leaves, or when it asks for another group', async () => {
    const { clock, called, slots, enter, enterAll, requestOf } = slotsOf({ ofClass: 1 });
    const leave = enter('a/x/0');
    enterAll('a/x/slow', 'a/x/gone', 'a/x/other', 'a/x/last');
    leave?.();
    await clock.advance(9_999);
    expect(called).toEqual(['a/x/slow']);
    await clock.advance(1);
    slots.leave('a/x/gone');
    slots.await({ key: 'a/x/other', groups: ['a/y', 'a'] });
    expect(called).toEqual(['a/x/slow', 'a/x/gone', 'a/x/other', 'a/x/last', 'a/x/other']);
    expect(slots.isFree(requestOf('a/x/new'))).toBe(false);
    expect(slots.isFree(requestOf('a/x/last'))).toBe(true);
  });

  test('is called again when it asks again, and has one slot all the same', () => {
    const { called, enter, enterAll, slots, requestOf } = slotsOf({ ofClass: 1 });
    const leave = enter('a/x/1');
    enterAll('a/x/2', 'a/x/2', 'a/x/3');
    leave?.();
    slots.await(requestOf('a/x/2'));
    enter('a/x/2')?.();
    expect(called).toEqual(['a/x/2', 'a/x/2', 'a/x/3']);
  });
});

/** Those who are inside, and those who wait; whoever is called comes in. */
function crowdOf(sizes: { all: number; ofClass: number; isNested: boolean }) {
  const { clock, called, slots, enter, requestOf } = slotsOf(sizes);
  const inside = new Map<string, () => void>();
  const waiting = new Set<string>();
  const come = (key: string) => {
    const leave = inside.has(key) ? undefined : enter(key);
    if (leave) inside.set(key, leave);
    if (!inside.has(key)) waiting.add(key);
    else waiting.delete(key);
  };
  const go = (key: string) => {
    inside.get(key)?.();
    inside.delete(key);
  };
  const giveUp = (key: string) => {
    slots.leave(key);
    waiting.delete(key);
  };
  const answer = () => {
    for (const key of called.splice(0)) if (waiting.has(key)) come(key);
  };
  const countOf = (group: string) => [...inside.keys()].filter((key) => key.startsWith(group)).length;
  const passedOver = () => [...waiting].filter((key) => slots.isFree(requestOf(key)));
  /** What the class of a key may have, if nobody else is called. */
  const mostOf = (key: string) => {
    const [party = '', kind = ''] = key.split('/');
    const [own, ofParty] = [countOf(`${party}/${kind}/`), countOf(`${party}/`)];
    const share = halfOfTheRest(sizes.all, inside.size - ofParty);
    return sizes.isNested ? Math.min(sizes.ofClass, halfOfTheRest(share, ofParty - own)) : sizes.ofClass;
  };
  return { clock, inside, waiting, come, go, giveUp, answer, countOf, mostOf, passedOver };
}

const ALL_KEYS = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(2), fc.nat(5)).map((parts) => parts.join('/'));
const STEP = fc.record({ key: ALL_KEYS, does: fc.constantFrom('come', 'go', 'giveUp', 'wait') });
const SIZES = fc.record({
  all: fc.integer({ min: 1, max: 12 }),
  ofClass: fc.integer({ min: 1, max: 4 }),
  isNested: fc.boolean(),
});

test('whatever comes and goes, no group has too much, and all get their turn', async () => {
  await fc.assert(
    fc.asyncProperty(SIZES, fc.array(STEP, { maxLength: 80 }), async (sizes, steps) => {
      const { clock, inside, waiting, answer, countOf, mostOf, passedOver, ...crowd } = crowdOf(sizes);
      for (const { key, does } of steps) {
        const wasInside = inside.has(key);
        if (does === 'wait') await clock.advance(7_000);
        else crowd[does](key);
        if (inside.has(key) && !wasInside) expect(countOf(key.slice(0, 4))).toBeLessThanOrEqual(mostOf(key));
        answer();
        expect(passedOver()).toEqual([]);
        expect(inside.size).toBeLessThanOrEqual(sizes.all);
        expect(countOf(key.slice(0, 4))).toBeLessThanOrEqual(sizes.ofClass);
      }
      for (let round = 0; inside.size + waiting.size > 0 && round < 300; round++) {
        const [first] = inside.keys();
        if (first === undefined) await clock.advance(10_000);
        else crowd.go(first);
        answer();
      }
      expect([...waiting]).toEqual([]);
      await clock.advance(10_000);
      expect(clock.pending).toBe(0);
    }),
  );
});

test.each([
  [false, 100],
  [true, 99],
])('20,000 keys in 10,000 classes come and go, each once, classes within their party: %p', (isNested, atOnce) => {
  const { called, enter, turns } = slotsOf({ all: 200, ofClass: 100, isNested });
  const keys = times(20_000, (at) => `flood/${at % 10_000}/${at}`);
  for (const key of keys) enter(key);
  turns(20_000);
  expect(new Set(called)).toEqual(new Set(keys.slice(atOnce)));
  expect(called.length).toBe(20_000 - atOnce);
});

// hack/decisions/0028 O20
describe('a class within its party', () => {
  test('has half of what its other classes leave of what other parties leave', () => {
    const { enterAll } = slotsOf({ all: 64, ofClass: 100, isNested: true });
    const ofEach = ['a/x', 'a/y', 'b/x', 'a/z', 'b/y'].map((kind) => {
      const taken = enterAll(...times(50, (at) => `${kind}/${at}`));
      return taken.filter((leave) => leave !== undefined).length;
    });
    // The parties may have 32, 32, 20, 27 and 19 of the 64.
    expect(ofEach).toEqual([16, 8, 10, 1, 4]);
  });

  test('gets its turn though it has nothing, and thousands of another class wait that has nothing either', () => {
    const { called, enter, enterAll, turns } = slotsOf({ all: 8, ofClass: 100, isNested: true });
    enterAll('a/x/1', 'a/x/2', 'a/y/1');
    for (const key of times(5_000, (at) => `a/x/late${at}`)) enter(key);
    for (const key of times(5_000, (at) => `a/z/late${at}`)) enter(key);
    enter('a/w/1');
    turns(4);
    expect(called).toContain('a/w/1');
    turns(10_000);
    expect(called.length).toBe(10_001);
  });
});
