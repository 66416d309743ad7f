import { expect, test } from 'bun:test';
import { machineMetrics } from '../../machine/metrics.ts';
import type { ReachFact } from '../../runtime/health/probe.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { outageCollector, outageMetrics } from './metrics.ts';

test.each([
  ['nobody is away', undefined, 0],
  ['a blip', 80_000, 0],
  ['an outage (hack/spec/mcm.md 10.2)', 60_000, 1],
])('%s', async (_what, unreachableSince, frozen) => {
  const metrics = createMetrics({ tables: [machineMetrics, outageMetrics] });
  const fact: ReachFact = unreachableSince === undefined ? { backSince: 0 } : { backSince: 0, unreachableSince };
  const collect = outageCollector(() => [['target', fact]], { now: () => 100_000, unreachableAfterMs: 30_000 });
  collect(metrics);
  const text = await metrics.text();
  expect(text).toContain(`mcm_machine_controller_frozen ${frozen}\n`);
  expect(text).toContain(
    `drover_api_server_unreachable_since_seconds{server="target"} ${(unreachableSince ?? 0) / 1000}\n`,
  );
});
