import { expect, test } from 'bun:test';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { levelOf } from '../../state/fairshares.ts';
import { CallSlots } from './limiter.ts';

// hack/decisions/0028 O20

const LIMITS = { createMachine: 100, deleteMachine: 100, updateMachine: 10, driverCalls: 400 };
const ANSWER_MS = 300;
const REST_MS = 30_000;

interface Asking {
  classKey: string;
  /** How long an answer takes, milliseconds. */
  ms: number;
  /** Asks again some time after each answer. */
  isForEver: boolean;
}

/** Machines of one namespace that ask about their VMs; tells when each first got a slot, milliseconds. */
function asking(isShared: boolean) {
  const clock = new FakeClock(0);
  const all = new Map<string, Asking>();
  const wanting = new Set<string>();
  const started = new Map<string, number>();
  const askerOf = (key: string) => ({ priority: 0, flow: ['n', '', all.get(key)?.classKey ?? ''] });
  const enqueue = (key: string) => queueMicrotask(() => go(key));
  const slots = new CallSlots({ clock, enqueue, sharing: { levelOf, askerOf }, limits: { ...LIMITS, isShared } });
  function go(key: string) {
    const { classKey, ms, isForEver } = all.get(key) ?? { classKey: '', ms: 0, isForEver: false };
    const release = wanting.has(key) && slots.enter({ key, classKey, method: 'getMachineStatus' });
    if (!release) return;
    wanting.delete(key);
    if (!started.has(key)) started.set(key, clock.monotonic());
    clock.after(ms, () => {
      release();
      if (isForEver) clock.after(REST_MS, () => ask(key));
    });
  }
  const ask = (key: string) => {
    wanting.add(key);
    go(key);
  };
  const come = (count: number, one: Asking) => {
    for (let at = 0; at < count; at++) {
      const key = `n/${one.classKey}${at}`;
      all.set(key, one);
      ask(key);
    }
  };
  return { clock, come, started };
}

test.each([
  [false, 60_000, 0],
  [false, 90_000, 0],
  [true, 60_000, ANSWER_MS],
  [true, 90_000, ANSWER_MS],
])(
  'a class waits for no other of its namespace whose provider hangs (all namespaces: %p, for %p ms)',
  async (isShared, ms, late) => {
    const { clock, come, started } = asking(isShared);
    come(2_000, { classKey: 'slow', ms, isForEver: true });
    await clock.advance(1_000);
    const began = clock.monotonic();
    come(100, { classKey: 'quick', ms: ANSWER_MS, isForEver: false });
    await clock.advance(10_000);
    const first = [...started].filter(([key]) => key.startsWith('n/quick')).map(([, at]) => at - began);
    expect([first.length, Math.min(...first), Math.max(...first)]).toEqual([100, 0, late]);
  },
);

test('neither for four classes whose provider hangs, with twenty-five machines more', async () => {
  const { clock, come, started } = asking(true);
  for (const name of ['a', 'b', 'c', 'd']) come(500, { classKey: name, ms: 600_000, isForEver: true });
  come(25, { classKey: 'quick', ms: ANSWER_MS, isForEver: false });
  await clock.advance(2_000);
  expect([...started.keys()].filter((key) => key.startsWith('n/quick')).length).toBe(25);
});

test('all have their turn while the slow ones go on', async () => {
  const { clock, come, started } = asking(true);
  come(2_000, { classKey: 'slow', ms: 60_000, isForEver: true });
  for (let at = 0; at < 40; at++) come(20, { classKey: `q${at}-`, ms: ANSWER_MS, isForEver: false });
  for (let minute = 0; minute < 25; minute++) await clock.advance(60_000);
  expect(started.size).toBe(2_800);
});
