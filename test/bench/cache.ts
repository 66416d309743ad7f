import { heapSize } from 'bun:jsc';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import type { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { makeCaches } from '../../controller/state/caches.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type FeedOptions, startFeed } from './feed.ts';
import type { Figures } from './figures.ts';

/**
 * Fills the controller's own cache of Machines from a feed, and hands it over as soon as it has the first list; what the
 * feed tells from then on goes into it while `use` runs.
 */
async function following<T>(options: FeedOptions, use: (cache: Cache<Machine>) => Promise<T>): Promise<T> {
  const log = createLog({ clock, level: 'error', sink: process.stderr });
  const { machines: cache } = makeCaches(log);
  const over = new AbortController();
  using feed = await startFeed(options);
  const api = new Api({ connection: feed.connection, clock });
  void runCache({ api, resource: resources.machines, cache, clock, random, log, signal: over.signal });
  await cache.whenSynced();
  try {
    return await use(cache);
  } finally {
    over.abort();
  }
}

const MACHINES = 10_000;
const MIB = 1024 ** 2;

/** Lists 10,000 Machines, in pages, into a cache with the controller's indexes, and weighs it. */
export async function cacheBench(): Promise<Figures> {
  await following({ machines: 10, events: 0 }, async () => {});
  const before = weight();
  const start = performance.now();
  const cpu = process.cpuUsage();
  return following({ machines: MACHINES, events: 0 }, async (cache) => {
    const seconds = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const after = weight();
    return {
      objects: cache.size,
      list_seconds: seconds,
      list_cpu_seconds: (user + system) / 1e6,
      heap_mib: (after.heap - before.heap) / MIB,
      heap_bytes_per_object: (after.heap - before.heap) / MACHINES,
      rss_mib: (after.rss - before.rss) / MIB,
      rss_bytes_per_object: (after.rss - before.rss) / MACHINES,
      process_rss_mib: after.rss / MIB,
    };
  });
}

/** What the process holds once its garbage is gone, in bytes. */
function weight(): { heap: number; rss: number } {
  Bun.gc(true);
  Bun.shrink();
  return { heap: heapSize(), rss: process.memoryUsage.rss() };
}

const WATCHED = 1_000;
const EVENTS = 20_000;
/** Enough for every hot function to have been compiled. */
const WARM_UP = 20_000;

/** Reads 20,000 changes of Machines through Api.watch into a cache with the controller's indexes. */
export async function watchBench(): Promise<Figures> {
  await measured(WARM_UP);
  const { seconds, cpuMicroseconds } = await measured(EVENTS);
  return { events: EVENTS, events_per_second: EVENTS / seconds, cpu_microseconds_per_event: cpuMicroseconds / EVENTS };
}

function measured(events: number): Promise<{ seconds: number; cpuMicroseconds: number }> {
  return following({ machines: WATCHED, events }, async (cache) => {
    const { promise: told, resolve } = Promise.withResolvers<void>();
    let left = events;
    cache.onChange(() => --left === 0 && resolve());
    const start = performance.now();
    const before = process.cpuUsage();
    await told;
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - start) / 1000, cpuMicroseconds: user + system };
  });
}
