import type { MetricTable } from '../observability/metrics.ts';

const SECONDS = [0.01, 0.1, 1, 10, 60, 300, 600] as const;
const ITEMS = [1, 10, 100, 1_000, 10_000, 100_000] as const;

/** Metrics of lists and watches by resource, named as MCM's are (MCM 10.2); its summaries are histograms here. */
export const watchMetrics = {
  mcm_reflector_lists_total: { type: 'counter', help: 'Lists of a resource that were complete', labels: ['name'] },
  mcm_reflector_list_duration_seconds: {
    type: 'histogram',
    help: 'Time for a list with all its pages',
    labels: ['name'],
    buckets: SECONDS,
  },
  mcm_reflector_items_per_list: { type: 'histogram', help: 'Objects in a list', labels: ['name'], buckets: ITEMS },
  mcm_reflector_watches_total: { type: 'counter', help: 'Connections of a watch, refused ones too', labels: ['name'] },
  mcm_reflector_short_watches_total: {
    type: 'counter',
    help: 'Connections of a watch on which nothing came before they ended',
    labels: ['name'],
  },
  mcm_reflector_watch_duration_seconds: {
    type: 'histogram',
    help: 'How long a connection of a watch lasted',
    labels: ['name'],
    buckets: SECONDS,
  },
  mcm_reflector_items_per_watch: {
    type: 'histogram',
    help: 'Events on a connection of a watch',
    labels: ['name'],
    buckets: ITEMS,
  },
  mcm_reflector_last_resource_version: {
    type: 'gauge',
    help: 'Version of a resource up to which everything was seen',
    labels: ['name'],
  },
  drover_cache_faults_total: {
    type: 'counter',
    help: 'What was thrown for one object of a resource and contained, by part: index, keep or listener. The log names it.',
    labels: ['name', 'part'],
  },
} as const satisfies MetricTable;
