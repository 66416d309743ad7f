import { describe, expect, test } from 'bun:test';
import { FakeClock } from './clock.fake.ts';
import { Places } from './places.ts';

/** Rooms of two places; keys are their own flows, and those with a ! are urgent. */
function placesOf({ most = () => 2 }: { most?: () => number } = {}) {
  const clock = new FakeClock();
  const called: string[] = [];
  const sharing = {
    askerOf: (key: string) => ({ priority: key.endsWith('!') ? 100 : 0, flow: key.split('/') }),
    levelOf: (priority: number) => priority,
  };
  const places = new Places({ clock, most, sharing, wake: (key) => void called.push(key) });
  const enter = (key: string, room = 'room') => (places.isFree(room, key) ? places.take(room, key) : undefined);
  return { clock, called, places, enter };
}

describe('a room', () => {
  test('has so many places and no more, and each is given back once', () => {
    const { enter } = placesOf();
    const first = enter('a');
    enter('b');
    expect(enter('c')).toBeUndefined();
    expect(enter('c', 'another')).toBeDefined();
    first?.();
    first?.();
    expect(enter('c')).toBeDefined();
    expect(enter('d')).toBeUndefined();
  });

  test('has as many as it is told at the time, and never none', () => {
    let most = 0;
    const { enter } = placesOf({ most: () => most });
    expect(enter('a')).toBeDefined();
    expect(enter('b')).toBeUndefined();
    most = 2;
    expect(enter('b')).toBeDefined();
  });
});

// hack/decisions/0028 W10
describe('who waits for a place', () => {
  test('is called when one is free, and nobody takes it before him', () => {
    const { called, places, enter } = placesOf({ most: () => 1 });
    const leave = enter('a');
    places.await('room', 'b');
    expect(called).toEqual([]);
    leave?.();
    expect(called).toEqual(['b']);
    expect(enter('late')).toBeUndefined();
    expect(enter('b')).toBeDefined();
  });

  test('takes turns with the other parties, and the urgent of a party go first', () => {
    const { called, places, enter } = placesOf({ most: () => 1 });
    let leave = enter('a');
    for (let n = 0; n < 1_000; n++) places.await('room', `flood//${n}`);
    for (const key of ['other//1', 'other//2!']) places.await('room', key);
    for (let n = 0; n < 5; n++) {
      leave?.();
      leave = enter(called.at(-1) ?? '');
    }
    expect(called).toEqual(['other//2!', 'flood//0', 'other//1', 'flood//1', 'flood//2']);
  });

  test('is called once more when he asks again, and waits once', () => {
    const { called, places, enter } = placesOf({ most: () => 1 });
    const leave = enter('a');
    for (const key of ['b', 'b', 'c']) places.await('room', key);
    leave?.();
    places.await('room', 'b');
    enter('b')?.();
    expect(called).toEqual(['b', 'b', 'c']);
  });

  test('is called at once where one is free', () => {
    const { called, places } = placesOf();
    places.await('room', 'a');
    expect(called).toEqual(['a']);
  });

  test('loses the place that is kept for him after a while, or when he wants it no longer', async () => {
    const { clock, called, places, enter } = placesOf({ most: () => 1 });
    const leave = enter('a');
    for (const key of ['slow', 'gone', 'b']) places.await('room', key);
    leave?.();
    await clock.advance(9_999);
    expect(called).toEqual(['slow']);
    await clock.advance(1);
    expect(called).toEqual(['slow', 'gone']);
    places.leave('gone');
    expect(called).toEqual(['slow', 'gone', 'b']);
    enter('b');
    expect(clock.pending).toBe(0);
  });

  // hack/decisions/0028 O10
  test('gives what is kept for him to the next when he takes a place elsewhere', () => {
    const { called, places, enter } = placesOf({ most: () => 1 });
    const leave = enter('a', 'creations');
    for (const key of ['m', 'n']) places.await('creations', key);
    leave?.();
    expect(called).toEqual(['m']);
    enter('m', 'questions');
    expect(called).toEqual(['m', 'n']);
    expect(enter('n', 'creations')).toBeDefined();
  });

  test('waits no more in a room when he waits in another', () => {
    const { called, places, enter } = placesOf({ most: () => 1 });
    const leaves = [enter('a', 'creations'), enter('b', 'deletions')];
    places.await('creations', 'm');
    places.await('deletions', 'm');
    leaves[0]?.();
    expect(called).toEqual([]);
    leaves[1]?.();
    expect(called).toEqual(['m']);
  });
});
