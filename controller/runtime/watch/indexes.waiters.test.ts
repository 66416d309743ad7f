import { expect, test } from 'bun:test';
import { Waiters } from './indexes.ts';

test('everybody who waits for the word is released, nobody else', async () => {
  const waiters = new Waiters();
  const released: string[] = [];
  const all = ['a', 'a', 'b'].map((word) => waiters.until(word).then(() => released.push(word)));
  waiters.release('a');
  await Promise.all(all.slice(0, 2));
  expect(released).toEqual(['a', 'a']);
  expect(waiters.size).toBe(1);
});

test('those whose word passes the test are released', async () => {
  const waiters = new Waiters();
  const [low, high] = [waiters.until('5'), waiters.until('50')];
  waiters.releaseWhere((word) => Number(word) < 10);
  await low;
  expect(waiters.size).toBe(1);
  waiters.release('50');
  await high;
});

test('a signal that aborts ends the wait and leaves nothing behind', async () => {
  const waiters = new Waiters();
  const stop = new AbortController();
  const waiting = waiters.until('a', stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(waiters.size).toBe(0);
  await expect(waiters.until('a', stop.signal)).rejects.toThrow('enough');
  expect(waiters.size).toBe(0);
});

test('after a release the signal no longer matters', async () => {
  const waiters = new Waiters();
  const stop = new AbortController();
  const waiting = waiters.until('a', stop.signal);
  waiters.release('a');
  stop.abort();
  await waiting;
});

test('hack/decisions/0028 R10: of more than 10,000 without a signal the longest is let go; those with one wait on', async () => {
  const waiters = new Waiters();
  const stop = new AbortController();
  const released: number[] = [];
  let isBoundReleased = false;
  const bound = waiters.until('bound', stop.signal).then(() => {
    isBoundReleased = true;
  });
  for (let at = 0; at < 10_002; at++) void waiters.until(`word ${at}`).then(() => released.push(at));
  await Promise.resolve();
  expect([released, waiters.size, isBoundReleased]).toEqual([[0, 1], 10_001, false]);
  waiters.release('word 5');
  void waiters.until('one more');
  await Promise.resolve();
  expect(released).toEqual([0, 1, 5]);
  waiters.release('bound');
  await bound;
});
