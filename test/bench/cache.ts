import { heapSize } from 'bun:jsc';
import type { Figures } from './figures.ts';
import { following } from './following.ts';

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
