import type { Figures } from './figures.ts';
import { following } from './following.ts';

const MACHINES = 1_000;
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
  return following({ machines: MACHINES, events }, async (cache) => {
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
