import { expect, test } from 'bun:test';
import { FakeClock } from './clock.fake.ts';
import { Deadline, unlessAborted } from './clock.ts';

function setUp(parent?: AbortSignal) {
  const clock = new FakeClock();
  const deadline = new Deadline({ clock, ms: 1000, reason: () => 'too late', ...(parent && { parent }) });
  return { clock, deadline };
}

test('it aborts with its reason when the time has passed, not before', async () => {
  const { clock, deadline } = setUp();
  await clock.advance(999);
  expect(deadline.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(deadline.signal.reason).toBe('too late');
  expect(clock.pending).toBe(0);
});

test('moved on, it counts from then', async () => {
  const { clock, deadline } = setUp();
  const start = clock.monotonic();
  await clock.advance(900);
  deadline.moveOn();
  expect(deadline.at).toBe(start + 1900);
  await clock.advance(999);
  expect(deadline.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(deadline.signal.aborted).toBe(true);
});

test('it aborts with its parent and with the reason of that', () => {
  const parent = new AbortController();
  const { clock, deadline } = setUp(parent.signal);
  parent.abort('enough');
  expect(deadline.signal.reason).toBe('enough');
  expect(clock.pending).toBe(0);
  expect(setUp(parent.signal).deadline.signal.reason).toBe('enough');
});

test('ended, it aborts no more and leaves no timer', async () => {
  const parent = new AbortController();
  const { clock, deadline } = setUp(parent.signal);
  deadline.end();
  parent.abort('enough');
  await clock.advance(5000);
  expect(deadline.signal.aborted).toBe(false);
  expect(clock.pending).toBe(0);
});

test('a promise is waited for until the signal aborts', async () => {
  const stop = new AbortController();
  expect(await unlessAborted(Promise.resolve('done'), stop.signal)).toBe('done');
  const waiting = unlessAborted(new Promise(() => {}), stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(unlessAborted(new Promise(() => {}), stop.signal)).rejects.toThrow('enough');
});
