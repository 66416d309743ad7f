import type { Metrics, MetricTable } from '../../runtime/observability/metrics.ts';
import type { Census } from './census.ts';

const area = ['cluster', 'zone'] as const;

/** Metrics of zones, as they stand at a scrape; the cluster is namespace/name, `default` for the default target. */
export const zoneMetrics = {
  drover_zone_machines: {
    type: 'gauge',
    help: 'Machines that ran once, by target cluster and zone, and by health: healthy, unhealthy, or being replaced because unhealthy.',
    labels: [...area, 'health'],
  },
  drover_replacement_paused: {
    type: 'gauge',
    help: 'Whether too many machines are unhealthy for any of a namespace to be replaced for it: 0 for none, 1 for some; the zone * is the whole cluster.',
    labels: area,
  },
} as const satisfies MetricTable;

/** What reads the census into the gauges. */
export function censusCollector(census: Pick<Census, 'areas'>): (metrics: Metrics) => void {
  return (metrics) => {
    metrics.reset('drover_zone_machines');
    metrics.reset('drover_replacement_paused');
    for (const { cluster, zone, tally, isOut } of census.areas()) {
      const labels = { cluster: cluster || 'default', zone: zone ?? '*' };
      metrics.set('drover_replacement_paused', isOut ? 1 : 0, labels);
      if (zone === undefined) continue;
      const { total, unhealthy, replaced } = tally;
      const counts = { healthy: total - unhealthy, unhealthy: unhealthy - replaced, replaced };
      for (const [health, count] of Object.entries(counts))
        metrics.set('drover_zone_machines', count, { ...labels, health });
    }
  };
}
