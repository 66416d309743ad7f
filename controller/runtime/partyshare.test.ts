import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from './clock.fake.ts';
import { halfOfTheRest } from './partyshare.ts';
import { Places } from './places.ts';

// hack/decisions/0028 T5

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

/** Rooms of `perRoom` places, `all` in all; a key is `party/room/…`. */
function shared(all: number, perRoom: number) {
  const called: string[] = [];
  const parties = {
    partyOf: (key: string) => key.split('/')[0] ?? '',
    most: (others: number) => halfOfTheRest(all, others),
  };
  const clock = new FakeClock();
  const places = new Places({ clock, most: () => perRoom, parties, wake: (key) => void called.push(key) });
  const roomOf = (key: string) => key.split('/').slice(0, 2).join('/');
  const enter = (key: string) => places.enter(roomOf(key), key);
  return { called, places, clock, enter, roomOf };
}

describe('a party that hangs in many rooms', () => {
  const flood = (enter: (key: string) => unknown, party: string) => {
    for (let at = 0; at < 800; at++) enter(`${party}/${at % 8}/${at}`);
  };

  test('has half of all, and the next half of the rest', () => {
    const { enter } = shared(50, 7);
    const taken = (party: string) =>
      Array.from({ length: 80 }, (_, at) => enter(`${party}/${at % 8}/${at}`)).filter((leave) => leave).length;
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(taken)).toEqual([25, 12, 6, 3, 2, 1, 0]);
  });

  test('keeps none from a place that a quiet one asks for', () => {
    const { enter } = shared(50, 7);
    flood(enter, 'hostile');
    const leave = enter('quiet/0/one');
    expect(leave).toBeDefined();
    leave?.();
    expect(enter('quiet/0/two')).toBeDefined();
  });

  test('goes on when it has less than it may, in any of its rooms', () => {
    const { enter, called } = shared(4, 4);
    const leaves = [enter('a/0/x'), enter('a/0/y')];
    expect([enter('a/1/z'), enter('a/1/w'), enter('a/2/v')]).toEqual([undefined, undefined, undefined]);
    leaves[0]?.();
    expect(called).toEqual(['a/1/z']);
    leaves[1]?.();
    expect(called).toEqual(['a/1/z', 'a/2/v']);
    enter('a/1/z')?.();
    expect(called.at(-1)).toBe('a/1/w');
  });

  test('does not get the only place twice while another waits', () => {
    const { enter, called } = shared(1, 1);
    const leave = enter('a/0/x');
    enter('a/0/y');
    enter('b/0/x');
    leave?.();
    expect(called).toEqual(['a/0/y']);
    enter('a/0/z');
    enter('a/0/y')?.();
    expect(called).toEqual(['a/0/y', 'b/0/x']);
  });
});

test('whatever comes and goes, nobody has too much, and all get their turn', async () => {
  const key = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(2), fc.nat(5)).map((parts) => parts.join('/'));
  const step = fc.record({ key, leaves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 60 }), async (all, steps) => {
      const { enter, clock, called, places } = shared(all, 3);
      const inside = new Map<string, () => void>();
      const waiting = new Set<string>();
      const come = (one: string) => {
        if (inside.has(one)) return;
        const leave = enter(one);
        if (leave) inside.set(one, leave);
        waiting[leave ? 'delete' : 'add'](one);
        expect(inside.size).toBeLessThanOrEqual(Math.max(1, all));
      };
      for (const { key: one, leaves } of steps) {
        if (!leaves) come(one);
        else inside.get(one)?.();
        if (leaves) inside.delete(one);
        for (const woken of called.splice(0)) come(woken);
      }
      for (let rounds = 0; (inside.size > 0 || waiting.size > 0) && rounds < 200; rounds++) {
        const [first] = inside;
        if (first) inside.delete(first[0]);
        first?.[1]();
        for (const woken of called.splice(0)) come(woken);
        if (!first) await clock.advance(10_000);
      }
      expect([...waiting]).toEqual([]);
      for (const one of waiting) places.leave(one);
    }),
  );
});
