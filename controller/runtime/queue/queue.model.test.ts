import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from '../clock.fake.ts';
import type { Flow } from '../fairness/sharing.ts';
import { Queue, type QueueOptions } from './queue.ts';

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

/** How the queue is set up: whom keys belong to, and which priorities rank alike between parties. */
interface Setup {
  flowOf: ((key: string) => Flow) | undefined;
  levelOf: (priority: number) => number;
}

/** The queue's rules by linear search over one list, with nothing kept in order. */
class Model {
  now = 0;
  #count = 0;
  #turn = 0;
  #waiting: Waiting[] = [];
  /** When a party of one level or priority last went to the end of its line. */
  readonly #turns = new Map<string, number>();
  readonly inWork = new Set<string>();
  readonly #setup: Setup;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  add(key: string, priority: number, after: number): void {
    const item = this.#waiting.find((waiting) => waiting.key === key);
    if (!item) this.#waiting.push({ key, priority, dueAt: this.now + after, asked: this.#count++ });
    else {
      const raised = priority > item.priority;
      const wasReady = item.place !== undefined;
      // An item that is raised leaves its line, and with it perhaps its party.
      if (raised) delete item.place;
      this.#forgetParties();
      item.priority = Math.max(item.priority, priority);
      item.dueAt = Math.min(item.dueAt, this.now + after);
      if (raised && wasReady) this.#place(item);
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
    const chosen = aged && this.#turn === 0 ? oldest : (this.#first(ready) ?? oldest);
    for (const party of this.#partiesOf(chosen)) this.#turns.set(party, this.#count++);
    this.#waiting = this.#waiting.filter((item) => item !== chosen);
    this.#forgetParties();
    this.inWork.add(chosen.key);
    return { key: chosen.key, priority: chosen.priority, dueAt: chosen.dueAt };
  }

  /** The names of the turns that an item's parties take: the widest at its level, the others at its priority. */
  #partiesOf({ key, priority }: Waiting): string[] {
    const { flowOf, levelOf } = this.#setup;
    if (!flowOf) return [];
    const [a = '', b = '', c = ''] = flowOf(key);
    const widest = `${levelOf(priority)}|${a}`;
    return [widest, `${widest}|${priority}|${b}`, `${widest}|${priority}|${b}|${c}`];
  }

  /** Narrowed down party by party, each time to the one that had its turn longest ago. */
  #first(ready: Waiting[]): Waiting | undefined {
    const { flowOf, levelOf } = this.#setup;
    const level = Math.max(...ready.map(({ priority }) => (flowOf ? levelOf(priority) : priority)));
    let left = ready.filter(({ priority }) => (flowOf ? levelOf(priority) : priority) === level);
    for (const depth of flowOf ? [0, 1, 2] : []) {
      const turnOf = (item: Waiting) => this.#turns.get(this.#partiesOf(item)[depth] ?? '') ?? 0;
      const next = Math.min(...left.map(turnOf));
      left = left.filter((item) => turnOf(item) === next);
      if (depth > 0) continue;
      const most = Math.max(...left.map(({ priority }) => priority));
      left = left.filter(({ priority }) => priority === most);
    }
    return left.sort((a, b) => (a.place ?? 0) - (b.place ?? 0))[0];
  }

  /** Whoever has nothing that is ready loses his place in the line of parties. */
  #forgetParties(): void {
    const there = new Set(
      this.#waiting.filter((item) => item.place !== undefined).flatMap((one) => this.#partiesOf(one)),
    );
    for (const party of this.#turns.keys()) if (!there.has(party)) this.#turns.delete(party);
  }

  #place(item: Waiting): void {
    item.place = this.#count++;
    for (const party of this.#partiesOf(item)) if (!this.#turns.has(party)) this.#turns.set(party, this.#count++);
  }

  flowOf(key: string): Flow {
    return this.#setup.flowOf?.(key) ?? [];
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Items that became ready since the last look, in the order of their times. */
  #wake(): void {
    const due = this.#waiting.filter((item) => item.place === undefined && item.dueAt <= this.now);
    const free = due.filter((item) => !this.inWork.has(item.key));
    for (const item of free.sort((a, b) => a.dueAt - b.dueAt || a.asked - b.asked)) this.#place(item);
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
    const item = queue.get(impatience.signal);
    impatience.abort();
    const expected = model.next();
    expect(await item).toEqual(
      expected && {
        key: expected.key,
        priority: expected.priority,
        flow: model.flowOf(expected.key),
        waitedMs: model.now - expected.dueAt,
      },
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

/** Two namespaces, of which one has two Clusters, and of these one two owners. */
const FLOWS: Readonly<Record<string, Flow>> = {
  a: ['east', 'one', 'x'],
  b: ['east', 'one', 'x'],
  c: ['east', 'one', 'y'],
  d: ['east', 'two', 'x'],
  e: ['west', '', 'z'],
  f: ['west', '', 'z'],
  g: ['west'],
  h: [],
};

const setups: Array<[string, Setup]> = [
  ['of one party', { flowOf: undefined, levelOf: (priority) => priority }],
  ['of parties that take turns', { flowOf: (key) => FLOWS[key] ?? [], levelOf: (priority) => priority }],
  [
    'of parties whose urgent keys rank alike',
    { flowOf: (key) => FLOWS[key] ?? [], levelOf: (priority) => Math.min(priority, 1) },
  ],
];

test.each(setups)('a queue %s hands out exactly what a naive model hands out', async (_what, setup) => {
  const runs = fc.commands(commands, { maxCommands: 120, size: 'max' });
  await fc.assert(
    fc.asyncProperty(runs, (cmds) => {
      const clock = new FakeClock(0);
      const options: QueueOptions = { clock, agedAfterMs: AGED_AFTER_MS, levelOf: setup.levelOf };
      const queue = new Queue(setup.flowOf ? { ...options, flowOf: setup.flowOf } : options);
      return fc.asyncModelRun(() => ({ model: new Model(setup), real: { clock, queue } }), cmds);
    }),
    { numRuns: 400 },
  );
});
