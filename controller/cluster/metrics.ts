import type { Cluster } from '../../schemas/cluster.ts';
import type { Node } from '../runtime/k8s/core.ts';
import type { Metrics, MetricTable } from '../runtime/observability/metrics.ts';
import type { Cache } from '../runtime/watch/cache.ts';

const labels = ['namespace', 'name'] as const;

/** Metrics of Clusters, as they stand at a scrape. */
export const clusterMetrics = {
  drover_cluster_condition: {
    type: 'gauge',
    help: 'Conditions Reachable, Frozen and Paused of a Cluster: 1 True, 0 False, -1 Unknown.',
    labels: [...labels, 'condition'],
  },
  drover_cluster_machines: { type: 'gauge', help: 'Machines that name the Cluster.', labels },
  drover_cluster_nodes: { type: 'gauge', help: 'Nodes of the Cluster, as last seen.', labels },
} as const satisfies MetricTable;

const VALUES: Readonly<Record<string, number>> = { True: 1, False: 0 };

/** What reads the Clusters into the gauges; `nodesOf` finds the Nodes of a Cluster by its key. */
export function clusterCollector(
  clusters: Cache<Cluster>,
  nodesOf: (key: string) => Cache<Node> | undefined,
): (metrics: Metrics) => void {
  return (metrics) => {
    for (const name of Object.keys(clusterMetrics)) metrics.reset(name);
    for (const { metadata, status } of clusters.list()) {
      const own = { namespace: metadata.namespace ?? '', name: metadata.name };
      for (const { type, status: is } of status?.conditions ?? [])
        metrics.set('drover_cluster_condition', VALUES[is] ?? -1, { ...own, condition: type });
      metrics.set('drover_cluster_machines', status?.machines ?? 0, own);
      metrics.set('drover_cluster_nodes', nodesOf(`${own.namespace}/${own.name}`)?.size ?? 0, own);
    }
  };
}
