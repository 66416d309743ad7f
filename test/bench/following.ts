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

/**
 * Fills the controller's own cache of Machines from a feed, and hands it over as soon as it has the first list; what the
 * feed tells from then on goes into it while `use` runs.
 */
export async function following<T>(options: FeedOptions, use: (cache: Cache<Machine>) => Promise<T>): Promise<T> {
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
