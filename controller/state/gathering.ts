import { defaults } from '../flow/priority.ts';
import { GATHER_MS } from '../runtime/queue/loop.ts';
import type { Queue } from '../runtime/queue/queue.ts';

/**
 * How long an owner waits for more news of its children at the most, milliseconds: a thousand machines that become ready are a few
 * writes of the set's status, not a thousand. Where its looks take long, for the API server is busy or far, it waits for so many
 * times as long as the last one took: each of them writes, and may list all machines (hack/decisions/0063).
 */
const MOST_MS = 1_000;
const TIMES_THE_LOOK = 4;

/** A look that took longer than that, milliseconds, has the owner wait for longer than the least: what its queue has to remember. */
export const SLOW_LOOK_MS = GATHER_MS.told / TIMES_THE_LOOK;

/** For how many milliseconds news is gathered for an owner. */
export const gatherMs = (queue: Pick<Queue, 'tookMs'>, key: string): number =>
  Math.min(MOST_MS, Math.max(GATHER_MS.told, TIMES_THE_LOOK * queue.tookMs(key)));

/** Queues an owner of which there is news that may wait for more. */
export const gatherFor = (queue: Queue, key: string): void =>
  queue.add(key, { priority: defaults.generic, after: gatherMs(queue, key) });
