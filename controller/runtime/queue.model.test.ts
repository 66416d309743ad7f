import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from './clock.fake.ts';
import { Queue } from './queue.ts';

const AGED_AFTER_MS = 100;

interface Waiting {
  key: string;
  priority: number;
  dueAt: number;
  /** When it was first added. */
  asked: number;
  /** Its place among the ready ones, once it is one of them. */
  place?: number;
}

/** The queue's rules by linear search over one list, with nothing kept in order. */
class Model {
  now = 0;
  #count = 0;
  #turn = 0;
  #waiting: Waiting[] = [];
  readonly inWork = new Set<string>();

  add(key: string, priority: number, after: number): void {
    const item = this.#waiting.find((waiting) => waiting.key === key);
    if (!item) this.#waiting.push({ key, priority, dueAt: this.now + after, asked: this.#count++ });
    else {
      if (priority > item.priority && item.place !== undefined) item.place = this.#count++;
      item.priority = Math.max(item.priority, priority);
      item.dueAt = Math.min(item.dueAt, this.now + after);
    }
    this.#wake();
  }

  advance(ms: number): void {
    this.now += ms;
    this.#wake();
  }

  done(key: string): void {
    this.inWork.delete(key);
    const item = this.#waiting.find((waiting) => waiting.key === key);
    if (item) item.dueAt = Math.max(item.dueAt, this.now);
    this.#wake();
  }

  next(): Omit<Waiting, 'asked' | 'place'> | undefined {
    const ready = this.#waiting.filter((item) => item.place !== undefined);
    const [oldest] = [...ready].sort((a, b) => a.dueAt - b.dueAt || (a.place ?? 0) - (b.place ?? 0));
    if (!oldest) return undefined;
    const aged = this.now - oldest.dueAt > AGED_AFTER_MS;
    if (aged) this.#turn = (this.#turn + 1) % 4;
    const [first = oldest] = ready.sort((a, b) => b.priority - a.priority || (a.place ?? 0) - (b.place ?? 0));
    const chosen = aged && this.#turn === 0 ? oldest : first;
    this.#waiting = this.#waiting.filter((item) => item !== chosen);
    this.inWork.add(chosen.key);
    return { key: chosen.key, priority: chosen.priority, dueAt: chosen.dueAt };
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Items that became ready since the last look, in the order of their times. */
  #wake(): void {
    const due = this.#waiting.filter((item) => item.place === undefined && item.dueAt <= this.now);
    const free = due.filter((item) => !this.inWork.has(item.key));
    for (const item of free.sort((a, b) => a.dueAt - b.dueAt || a.asked - b.asked)) item.place = this.#count++;
  }
}

interface Real {
  clock: FakeClock;
  queue: Queue;
}

type Command = fc.AsyncCommand<Model, Real>;

const add = (key: string, priority: number, after: number): Command => ({
  check: () => true,
  run: async (model, { queue }) => {
    model.add(key, priority, after);
    queue.add(key, { priority, after });
    expect(queue.size).toBe(model.size);
  },
  toString: () => `add(${key}, priority ${priority}, after ${after})`,
});

const advance = (ms: number): Command => ({
  check: () => true,
  run: async (model, { clock }) => {
    model.advance(ms);
    await clock.advance(ms);
    expect(clock.pending).toBeLessThanOrEqual(1);
  },
  toString: () => `advance(${ms})`,
});

const next = (): Command => ({
  check: () => true,
  run: async (model, { clock, queue }) => {
    const impatience = new AbortController();
    const handout = queue.next(impatience.signal);
    impatience.abort();
    const expected = model.next();
    expect(await handout).toEqual(
      expected && { key: expected.key, priority: expected.priority, waitedMs: model.now - expected.dueAt },
    );
    expect(clock.pending).toBeLessThanOrEqual(1);
  },
  toString: () => 'next()',
});

const done = (key: string): Command => ({
  check: (model) => model.inWork.has(key),
  run: async (model, { queue }) => {
    model.done(key);
    queue.done(key);
    expect(queue.size).toBe(model.size);
  },
  toString: () => `done(${key})`,
});

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const delays = fc.oneof(fc.constant(0), fc.constantFrom(1, 10, 50, 200));
const commands = [
  fc.tuple(keys, fc.integer({ min: -3, max: 3 }), delays).map(([key, priority, after]) => add(key, priority, after)),
  fc.tuple(keys, fc.integer({ min: -3, max: 3 })).map(([key, priority]) => add(key, priority, 0)),
  fc.constantFrom(1, 10, 50, 101, 150).map(advance),
  fc.constant(next()),
  keys.map(done),
];

test('the queue hands out exactly what a naive model hands out', async () => {
  const runs = fc.commands(commands, { maxCommands: 120, size: 'max' });
  await fc.assert(
    fc.asyncProperty(runs, (cmds) => {
      const clock = new FakeClock(0);
      const queue = new Queue({ clock, agedAfterMs: AGED_AFTER_MS });
      return fc.asyncModelRun(() => ({ model: new Model(), real: { clock, queue } }), cmds);
    }),
    { numRuns: 400 },
  );
});
