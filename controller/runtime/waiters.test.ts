import { expect, test } from 'bun:test';
import { Waiters } from './waiters.ts';

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
