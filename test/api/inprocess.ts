import { join } from 'node:path';
import type { RunningDriver } from '../../controller/driver.ts';
import { metricTables } from '../../controller/metrics.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { FakeLog } from '../../controller/runtime/log.fake.ts';
import { createMetrics } from '../../controller/runtime/metrics.ts';
import { systemRandom as random, secureRandom } from '../../controller/runtime/random.ts';
import { start } from '../../controller/start.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { parseSettings } from '../../schemas/config.ts';
import type { Herd } from './herd.ts';

const RBAC = join(import.meta.dir, '../../charts/drover/files/rbac/controller.yaml');

/** A controller in the test's own process, with the chart's rights and a driver that the test sees into. */
export interface OwnController {
  log: FakeLog;
  /** Ends it at once. */
  end(): void;
}

/** Starts the controller for the herd's namespace; resolves once it reconciles. */
export async function startInProcess(
  { cluster, namespace }: Herd,
  driver: RunningDriver,
  flags: readonly string[] = [],
): Promise<OwnController> {
  const applied = await cluster.kubectl(['apply', '-f', RBAC]);
  if (applied.code !== 0) throw new Error(`kubectl apply -f ${RBAC}: ${applied.stderr}`);
  const { connection } = await cluster.serviceAccount('drover-system', 'drover-controller');
  const parsed = parseSettings(controllerProgram, { args: [`--namespace=${namespace}`, ...flags], env: {} });
  if (!parsed.ok) throw new Error(parsed.findings.join('\n'));
  const abort = new AbortController();
  const log = new FakeLog();
  const parts = {
    settings: parsed.settings,
    connections: { control: connection, target: connection },
    clock,
    random,
    secureRandom,
    log,
    metrics: createMetrics({ tables: Object.values(metricTables) }),
    identity: 'test',
    makeDrivers: () => new Map([[driver.name, driver]]),
  };
  await start(parts, abort.signal);
  return { log, end: () => abort.abort(new Error('the test has ended')) };
}
