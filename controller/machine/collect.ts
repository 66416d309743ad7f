import type { Machine } from '../../schemas/machine.ts';
import type { DriverMethod } from '../driver.ts';
import { conditionValue, createdAt, ownLabels } from '../metriclabels.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Labels, Metrics } from '../runtime/metrics.ts';
import { callMetrics, machineMetrics } from './metrics.ts';
import { steps } from './reasons.ts';

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

/** Reads the Machines, and the driver calls in flight, into the gauges. */
export function collectMachines(metrics: Metrics, { machines, callers }: Collected): void {
  for (const name of [...Object.keys(machineMetrics), ...gauges(callMetrics)]) metrics.reset(name);
  metrics.set('mcm_machine_items_total', machines.size);
  metrics.set('mcm_machine_controller_frozen', 0);
  const groups = new Map<string, { labels: Labels; count: number }>();
  for (const machine of machines.list()) {
    collectOne(metrics, machine);
    count(groups, machine);
  }
  for (const group of groups.values()) metrics.set('drover_machines', group.count, group.labels);
  for (const [method, number] of callers.flatMap((caller) => [...caller.inFlight()]))
    metrics.set('drover_driver_calls_in_flight', number, { method });
}

const gauges = (table: Readonly<Record<string, { type: string }>>): string[] =>
  Object.keys(table).filter((name) => table[name]?.type === 'gauge');

function collectOne(metrics: Metrics, { metadata, spec, status }: Machine): void {
  const own = ownLabels(metadata);
  metrics.set('mcm_machine_current_status_phase', PHASES[status?.currentStatus?.phase ?? ''] ?? 0, own);
  metrics.set('mcm_machine_info', 1, {
    ...own,
    createdAt: createdAt(metadata),
    spec_provider_id: spec?.providerID ?? '',
    spec_class_api_group: spec?.class?.apiGroup ?? '',
    spec_class_kind: spec?.class?.kind ?? '',
    spec_class_name: spec?.class?.name ?? '',
    node_name: metadata.labels?.['node'] ?? '',
  });
  for (const condition of status?.conditions ?? []) {
    if (condition.type in steps) continue;
    metrics.set('mcm_machine_status_condition', conditionValue(condition), { ...own, condition: condition.type });
  }
}

function count(groups: Map<string, { labels: Labels; count: number }>, { metadata, status }: Machine): void {
  const { step = '', reason = '' } = status?.deciding ?? {};
  const labels = { namespace: metadata.namespace ?? '', phase: status?.currentStatus?.phase ?? '', step, reason };
  const key = Object.values(labels).join(' ');
  const group = groups.get(key) ?? { labels, count: 0 };
  group.count += 1;
  groups.set(key, group);
}
