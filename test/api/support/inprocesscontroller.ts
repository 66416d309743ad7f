import type { RunningDriver } from '../../../controller/drivers/sdk/driver.ts';
import type { Connections } from '../../../controller/framework/connections.ts';
import { metricTables } from '../../../controller/manager/metrics.ts';
import { start } from '../../../controller/manager/start.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { FakeLog } from '../../../controller/runtime/observability/log.fake.ts';
import { createMetrics } from '../../../controller/runtime/observability/metrics.ts';
import { systemRandom as random, secureRandom } from '../../../controller/runtime/random.ts';
import { controllerProgram } from '../../../schemas/config/controller.ts';
import { parseSettings } from '../../../schemas/config.ts';
import { allowIn } from './chartrights.ts';
import type { Herd } from './herd.ts';

/** Servers of tests are on this machine. */
const ALWAYS = ['--cluster-server-allow=127.0.0.0/8'];

/** A controller in the test's own process, with the chart's rights and a driver that the test sees into. */
export interface OwnController {
  log: FakeLog;
  /** Ends it at once. */
  end(): void;
}

/** How a controller in the test's process is started. */
export interface InProcessOptions {
  flags?: readonly string[];
  /** Straight to the herd's cluster as the chart's account, unless told. */
  connections?: Connections;
  /** Ends it, also while it starts. */
  signal?: AbortSignal;
}

/** Starts the controller for the herd's namespace; resolves once it reconciles, throws when it cannot begin. */
export async function startInProcess(
  { cluster, namespace }: Herd,
  driver: RunningDriver,
  { flags = [], ...given }: InProcessOptions = {},
): Promise<OwnController> {
  await allowIn(cluster);
  const { connection } = await cluster.serviceAccount('drover-system', 'drover-controller');
  const parsed = parseSettings(controllerProgram, { args: [...ALWAYS, `--namespace=${namespace}`, ...flags], env: {} });
  if (!parsed.ok) throw new Error(parsed.findings.join('\n'));
  const abort = new AbortController();
  const log = new FakeLog();
  const parts = {
    settings: parsed.settings,
    connections: given.connections ?? { control: connection, target: connection },
    clock,
    random,
    secureRandom,
    log,
    metrics: createMetrics({ tables: Object.values(metricTables) }),
    identity: 'test',
    makeDrivers: () => new Map([[driver.name, driver]]),
  };
  const end = () => abort.abort(new Error('the test has ended'));
  given.signal?.addEventListener('abort', end);
  await start(parts, abort.signal).catch((error) => {
    end();
    throw error;
  });
  return { log, end };
}
