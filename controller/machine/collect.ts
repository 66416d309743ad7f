import type { Machine } from '../../schemas/machine.ts';
import type { DriverMethod } from '../drivers/sdk/driver.ts';
import { conditionSamples, createdAt, ownLabels } from '../framework/metriclabels.ts';
import { type Sample, Series } from '../framework/objectmetrics.ts';
import type { Labels, Metrics } from '../runtime/observability/metrics.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { steps } from './flow/reasons.ts';

const PHASES: Readonly<Record<string, number>> = {
  Terminating: -4,
  Failed: -3,
  CrashLoopBackOff: -2,
  Unknown: -1,
  Running: 1,
};

/** What is read at a scrape. */
export interface Collected {
  machines: Cache<Machine>;
  /** Whoever has driver calls in flight, each with methods of its own. */
  callers: ReadonlyArray<{ inFlight(): ReadonlyMap<DriverMethod, number> }>;
}

/** What reads the Machines, and the driver calls in flight, into the gauges. */
export function machineCollector({ machines, callers }: Collected): (metrics: Metrics) => void {
  const series = new Series(samplesOf);
  return (metrics) => {
    const all = machines.list();
    series.show(metrics, all);
    metrics.set('mcm_machine_items_total', all.length);
    metrics.reset('drover_machines');
    for (const { labels, count } of groupsOf(all)) metrics.set('drover_machines', count, labels);
    metrics.reset('drover_driver_calls_in_flight');
    for (const [method, number] of callers.flatMap((caller) => [...caller.inFlight()]))
      metrics.set('drover_driver_calls_in_flight', number, { method });
  };
}

/** The gauges of one Machine. */
function samplesOf({ metadata, spec, status }: Machine): Sample[] {
  const own = ownLabels(metadata);
  const conditions = (status?.conditions ?? []).filter(({ type }) => !(type in steps));
  const info = {
    ...own,
    createdAt: createdAt(metadata),
    spec_provider_id: spec?.providerID ?? '',
    spec_class_api_group: spec?.class?.apiGroup ?? '',
    spec_class_kind: spec?.class?.kind ?? '',
    spec_class_name: spec?.class?.name ?? '',
    node_name: metadata.labels?.['node'] ?? '',
  };
  const phase = PHASES[status?.currentStatus?.phase ?? ''] ?? 0;
  return [
    { name: 'mcm_machine_current_status_phase', value: phase, labels: own },
    { name: 'mcm_machine_info', value: 1, labels: info },
    ...conditionSamples('mcm_machine_status_condition', metadata, conditions),
  ];
}

interface Group {
  labels: Labels;
  count: number;
}

/** How many machines are in each phase, by what decides about them. */
function groupsOf(machines: readonly Machine[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const { metadata, status } of machines) {
    const { step = '', reason = '' } = status?.deciding ?? {};
    const labels = { namespace: metadata.namespace ?? '', phase: status?.currentStatus?.phase ?? '', step, reason };
    const key = Object.values(labels).join(' ');
    const group = groups.get(key) ?? { labels, count: 0 };
    group.count += 1;
    groups.set(key, group);
  }
  return groups.values();
}
