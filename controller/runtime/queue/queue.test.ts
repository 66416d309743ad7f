import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { type AddOptions, Queue } from './queue.ts';

const queueOf = (clock = new FakeClock()) => ({ clock, queue: new Queue({ clock }) });

/** Keys in the order in which they are handed out, without waiting for later ones; each is done at once. */
async function drained(queue: Queue): Promise<string[]> {
  const keys: string[] = [];
  for (let key = await nextNow(queue); key !== undefined; key = await nextNow(queue)) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

/** The key that is ready now, if any. */
async function nextNow(queue: Queue): Promise<string | undefined> {
  const impatience = new AbortController();
  const next = queue.get(impatience.signal);
  impatience.abort();
  return (await next)?.key;
}

test.each<[string, Array<[string, AddOptions?]>, string[]]>([
  ['first come, first served within a priority', [['a'], ['b'], ['c']], ['a', 'b', 'c']],
  ['the higher priority goes first', [['a', { priority: -2 }], ['b', { priority: 98 }], ['c']], ['b', 'c', 'a']],
  ['a key waits once', [['a'], ['b'], ['a']], ['a', 'b']],
  [
    'a raised key goes to the end of its new priority',
    [['a'], ['b', { priority: 5 }], ['a', { priority: 5 }]],
    ['b', 'a'],
  ],
  ['a lower priority changes nothing', [['a', { priority: 5 }], ['b', { priority: 5 }], ['a']], ['a', 'b']],
  ['a delayed key is not handed out', [['a', { after: 1 }], ['b']], ['b']],
  ['a delay does not hold back a ready key', [['a'], ['b'], ['a', { after: 1000 }]], ['a', 'b']],
  ['a plain add makes a delayed key ready, at the end', [['a', { after: 1000 }], ['b'], ['a']], ['b', 'a']],
  [
    'a delayed key keeps its priority when a plain add makes it ready',
    [['a', { after: 9, priority: 7 }], ['b', { priority: 6 }], ['a']],
    ['a', 'b'],
  ],
])('%s', async (_what, adds, order) => {
  const { queue } = queueOf();
  for (const [key, options] of adds) queue.add(key, options);
  expect(await drained(queue)).toEqual(order);
});

// hack/decisions/0028 W10
describe('a queue that parties share', () => {
  const flowOf = (key: string) => key.split('/');
  const shared = () => {
    const clock = new FakeClock();
    return { clock, queue: new Queue({ clock, flowOf, levelOf: (priority) => Math.min(priority, 90) }) };
  };

  test('lets the one key of a party go before all but one of the 2,000 of another', async () => {
    const { queue } = shared();
    for (let n = 0; n < 2_000; n++) queue.add(`flood//${n}`, { priority: 100 });
    queue.add('other//1', { priority: 100 });
    expect((await drained(queue)).indexOf('other//1')).toBe(1);
  });

  test('lets a deletion wait for no creation of another party, and for all of its own', async () => {
    const { queue } = shared();
    for (let n = 0; n < 100; n++) queue.add(`flood//${n}`, { priority: 100 });
    for (let n = 0; n < 10; n++) queue.add(`other//${n}`, { priority: 100 });
    queue.add('leaving//1', { priority: 98 });
    queue.add('other//leaving', { priority: 98 });
    const order = await drained(queue);
    expect(order.indexOf('leaving//1')).toBe(2);
    expect(order.indexOf('other//leaving')).toBeGreaterThan(order.indexOf('other//9'));
    expect(order.indexOf('other//leaving')).toBeLessThan(30);
  });

  test('is strict below that level: what is less urgent waits for all that is more urgent', async () => {
    const { queue } = shared();
    for (let n = 0; n < 10; n++) queue.add(`flood//${n}`, { priority: 5 });
    queue.add('other//1', { priority: 4 });
    expect((await drained(queue)).indexOf('other//1')).toBe(10);
  });

  test('shares the part of a party among those within it, so that many owners get no more than one', async () => {
    const { queue } = shared();
    for (let n = 0; n < 6; n++) queue.add(`many/west/owner${n}`);
    for (let n = 0; n < 3; n++) queue.add(`one/west/owner/${n}`);
    queue.add('many/east/owner');
    expect(await drained(queue)).toEqual([
      'many/west/owner0',
      'one/west/owner/0',
      'many/east/owner',
      'one/west/owner/1',
      'many/west/owner1',
      'one/west/owner/2',
      ...[2, 3, 4, 5].map((n) => `many/west/owner${n}`),
    ]);
  });

  test('counts a hand-out for its age as a turn', async () => {
    const { clock, queue } = shared();
    queue.add('old//1', { priority: -4 });
    await clock.advance(30_001);
    for (let n = 0; n < 4; n++) queue.add(`new//${n}`, { priority: -4 });
    queue.add('old//2', { priority: -4 });
    // Turns of the line: old//1, new//0, old//2; the fourth is that of age, of which nobody is left.
    expect((await drained(queue)).slice(0, 3)).toEqual(['old//1', 'new//0', 'old//2']);
  });
});

test('delayed keys become ready in the order of their times, however late the timer is', async () => {
  const { clock, queue } = queueOf();
  queue.add('late', { after: 300 });
  queue.add('early', { after: 100 });
  queue.add('sooner', { after: 200 });
  queue.add('late', { after: 250 });
  await clock.advance(1000);
  queue.add('now');
  expect(await drained(queue)).toEqual(['early', 'sooner', 'late', 'now']);
});

test('a waiting worker gets a delayed key when its time has come, by a single timer', async () => {
  const { clock, queue } = queueOf();
  for (let n = 0; n < 100; n++) queue.add(`key-${n}`, { after: 1000 + n });
  expect(clock.pending).toBe(1);
  const next = queue.get();
  await clock.advance(1000);
  expect(await next).toEqual({ key: 'key-0', priority: 0, flow: [], waitedMs: 0 });
  queue.shutdown();
  expect(clock.pending).toBe(0);
});

test('waiting workers are served in the order in which they came', async () => {
  const { queue } = queueOf();
  const [first, second] = [queue.get(), queue.get()];
  queue.add('a');
  queue.add('b');
  expect([(await first)?.key, (await second)?.key]).toEqual(['a', 'b']);
});

test('a worker that gave up gets nothing, and takes nothing from the others', async () => {
  const { queue } = queueOf();
  const leaving = new AbortController();
  const [left, stays] = [queue.get(leaving.signal), queue.get()];
  leaving.abort();
  queue.add('a');
  expect(await left).toBeUndefined();
  expect((await stays)?.key).toBe('a');
  expect(await queue.get(leaving.signal)).toBeUndefined();
});

test('a key in work is not handed out again before it is done, and keeps what was added meanwhile', async () => {
  const { clock, queue } = queueOf();
  queue.add('a', { priority: 100 });
  expect((await queue.get())?.key).toBe('a');
  queue.add('a', { priority: 3 });
  queue.add('a', { priority: 4, after: 500 });
  expect(await nextNow(queue)).toBeUndefined();
  await clock.advance(200);
  queue.done('a');
  await clock.advance(50);
  expect(await queue.get()).toEqual({ key: 'a', priority: 4, flow: [], waitedMs: 50 });
});

test('a delayed add in work is due from the add on, not from the end of the work', async () => {
  const { clock, queue } = queueOf();
  queue.add('a');
  await queue.get();
  queue.add('a', { after: 500 });
  await clock.advance(300);
  queue.done('a');
  expect(await nextNow(queue)).toBeUndefined();
  await clock.advance(200);
  expect(await nextNow(queue)).toBe('a');
});

test('done of a key that is not in work is ignored', async () => {
  const { queue } = queueOf();
  queue.add('a');
  queue.done('a');
  queue.done('b');
  expect(await drained(queue)).toEqual(['a']);
});

test('every fourth hand-out goes to the oldest while keys have waited for longer than the bound', async () => {
  const { clock, queue } = queueOf();
  queue.add('old-1', { priority: -4 });
  queue.add('old-2', { priority: -100 });
  await clock.advance(30_001);
  for (let n = 0; n < 10; n++) queue.add(`new-${n}`, { priority: 100 });
  const order = await drained(queue);
  expect(order.indexOf('old-1')).toBe(3);
  expect(order.indexOf('old-2')).toBe(7);
});

test('a key that was raised does not lose its age', async () => {
  const { clock, queue } = queueOf();
  queue.add('raised', { priority: -4 });
  await clock.advance(20_000);
  queue.add('raised', { priority: -3 });
  await clock.advance(10_001);
  for (let n = 0; n < 5; n++) queue.add(`new-${n}`);
  expect((await drained(queue)).indexOf('raised')).toBe(3);
});

test('at the bound itself nothing has aged yet', async () => {
  const { clock, queue } = queueOf();
  queue.add('low', { priority: -4 });
  await clock.advance(30_000);
  for (let n = 0; n < 5; n++) queue.add(`new-${n}`);
  expect((await drained(queue)).indexOf('low')).toBe(5);
});

test('a shutdown drops everything, sends the waiting home, and may be repeated', async () => {
  const { queue } = queueOf();
  queue.add('a');
  queue.add('b', { after: 10 });
  await queue.get();
  queue.add('a');
  const waiting = queue.get();
  queue.shutdown();
  queue.shutdown({ drain: true });
  queue.add('c');
  queue.done('a');
  expect(await waiting).toBeUndefined();
  expect(await queue.get()).toBeUndefined();
  expect(queue.size).toBe(0);
});

test('a shutdown with drain still hands out what is ready and what waits for the end of its work', async () => {
  const { clock, queue } = queueOf();
  queue.add('work');
  await queue.get();
  queue.add('work');
  queue.add('ready');
  queue.add('delayed', { after: 10 });
  queue.shutdown({ drain: true });
  queue.add('late');
  expect((await queue.get())?.key).toBe('ready');
  const last = queue.get();
  const none = queue.get();
  queue.done('work');
  expect((await last)?.key).toBe('work');
  expect(await none).toBeUndefined();
  expect(clock.pending).toBe(0);
});

test('the depth counts ready keys by band, and the age is that of the oldest', async () => {
  const { clock, queue } = queueOf();
  const priorities = [100, 96, 90, 50, 0, -4, -10, -11, -100];
  for (const priority of priorities) queue.add(`key${priority}`, { priority });
  queue.add('delayed', { priority: 100, after: 60_000 });
  await clock.advance(1500);
  expect(queue.depth()).toEqual({ urgent: 3, high: 1, normal: 3, low: 2 });
  expect(queue.oldestReadyMs()).toBe(1500);
  expect(queue.size).toBe(priorities.length + 1);
  expect(queue.added).toBe(priorities.length);
});
