import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { Queue, type QueueOptions } from '../../controller/runtime/queue/queue.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import type { Figures } from './figures.ts';

const SIZES = [10_000, 100_000];
const PRIORITIES = [100, 98, 3, -1, -2, -4];
/** How many keys are in work at a time, as many as a controller has workers. */
const WORKERS = 50;

/** Namespaces, and owners of keys in each, among which keys are shared out. */
const PARTIES = { namespaces: 50, owners: 20 };

/** How a controller shares its Machines' queue. */
const SHARED: Omit<QueueOptions, 'clock'> = {
  flowOf: (key) => {
    const at = Number(key.slice(key.lastIndexOf('-') + 1));
    return [`herd-${at % PARTIES.namespaces}`, '', `owner-${Math.floor(at / PARTIES.namespaces) % PARTIES.owners}`];
  },
  levelOf: (priority) => Math.min(priority, 90),
};

/**
 * Puts keys into queues of 10,000 and 100,000, and takes them out; then the same where 50 namespaces with 20 owners each share
 * the queue. An operation is one call of add, next or done.
 */
export async function queueBench(): Promise<Figures> {
  await measured(1_000);
  const rows: Array<[string, Figures]> = [];
  for (const size of SIZES) rows.push([`${size}_keys`, await measured(size)]);
  for (const size of SIZES) rows.push([`${size}_keys_shared`, await measured(size, SHARED)]);
  return Object.fromEntries(rows);
}

async function measured(size: number, options: Omit<QueueOptions, 'clock'> = {}): Promise<Figures> {
  const keys = Array.from({ length: size }, (_, at) => `herd/machine-${at}`);
  const random = seededRandom(size);
  const queue = new Queue({ clock, ...options });
  const add = (key: string, after = 0) =>
    queue.add(key, { after, priority: PRIORITIES[Math.floor(random.next() * PRIORITIES.length)] ?? 0 });
  const addAny = () => add(keys[Math.floor(random.next() * size)] ?? '');
  return {
    add_operations_per_second: await rate(size, () => each(keys, (key) => add(key))),
    add_again_operations_per_second: await rate(size, () => each(keys, addAny)),
    add_next_done_operations_per_second: await rate(3 * size, () => mixed(queue, size, addAny)),
    next_done_operations_per_second: await rate(2 * queue.size, () => drained(queue)),
    add_delayed_operations_per_second: await rate(size, () => each(keys, (key, at) => add(key, 60_000 + (at % 5_000)))),
  };
}

function each(keys: readonly string[], run: (key: string, at: number) => void): void {
  for (const [at, key] of keys.entries()) run(key, at);
}

/** So many keys go through as many workers as a controller has, and for each one more is added. */
async function mixed(queue: Queue, count: number, add: () => void): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      const item = await queue.get();
      add();
      if (item) queue.done(item.key);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

async function drained(queue: Queue): Promise<void> {
  while (queue.size > 0) {
    const item = await queue.get();
    if (item) queue.done(item.key);
  }
}

/** Operations per second of what does so many of them. */
async function rate(operations: number, work: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (operations * 1000) / (performance.now() - start);
}
