import type { ReachFact } from '../../runtime/health/probestate.ts';
import type { Metrics, MetricTable } from '../../runtime/observability/metrics.ts';

/** Metrics of outages, as they stand at a scrape. */
export const outageMetrics = {
  drover_api_server_unreachable_since_seconds: {
    type: 'gauge',
    help: 'Since when an API server is unreachable, in seconds since the epoch; 0 while it answers and its watches deliver.',
    labels: ['server'],
  },
} as const satisfies MetricTable;

/** How each API server stands, by its name: `control`, `target`, or namespace/name of a Cluster. */
export type Servers = () => Iterable<readonly [name: string, fact: ReachFact]>;

/** What reads how API servers stand into the gauges, that of MCM among them; `unreachableAfterMs` as for `gateOf`. */
export const outageCollector =
  (servers: Servers, { now, unreachableAfterMs }: { now: () => number; unreachableAfterMs: number }) =>
  (metrics: Metrics): void => {
    let frozen = false;
    metrics.reset('drover_api_server_unreachable_since_seconds');
    for (const [server, { unreachableSince }] of servers()) {
      frozen ||= unreachableSince !== undefined && now() - unreachableSince > unreachableAfterMs;
      metrics.set('drover_api_server_unreachable_since_seconds', (unreachableSince ?? 0) / 1000, { server });
    }
    metrics.set('mcm_machine_controller_frozen', frozen ? 1 : 0);
  };
