import { drivers } from '../../controller/drivers/index.ts';
import type { RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { onlyTarget } from '../../controller/drivers/sdk/targets.fixture.ts';
import { Api } from '../../controller/runtime/client/api.ts';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { loopMetrics } from '../../controller/runtime/queue/loopmetrics.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { podIndexes } from '../../controller/targets/pods.ts';

/** A virtual driver that runs as in a controller. */
export interface RunningVirtual {
  driver: RunningDriver;
  api: Api;
  /** Nodes as the driver sees them. */
  nodes: Cache<Node>;
  log: FakeLog;
  /** What `kill -9` does: everything it runs ends, nothing is tidied up. */
  kill(): void;
}

/** Starts the virtual driver on a target cluster, as a controller does. */
export async function startVirtual(
  connection: Connection,
  virtualStore: 'cluster' | 'memory',
): Promise<RunningVirtual> {
  const end = new AbortController();
  const { signal } = end;
  const log = new FakeLog();
  const metrics = createMetrics({ tables: [loopMetrics] });
  const api = new Api({ connection, clock });
  const cache = new Cache<Node>({ freeze: true, log });
  void runCache({ api, resource: nodes, cache, clock, random, log, metrics, signal });
  const driver = drivers({
    control: api,
    targets: onlyTarget({ api, nodes: cache, pods: new Cache({ indexes: podIndexes }) }),
    clock,
    random,
    log,
    metrics,
    virtualStore,
    wanted: ['virtual'],
  }).get('virtual');
  if (!driver) throw new Error('there is no virtual driver');
  await driver.start(signal);
  return { driver, api, nodes: cache, log, kill: () => end.abort(new Error('killed')) };
}
