import { clusterMetrics } from '../cluster/metrics.ts';
import { drainMetrics } from '../drain/metrics.ts';
import { decisionMetrics } from '../framework/decisionlog.ts';
import { callMetrics, machineMetrics, transitionMetrics } from '../machine/metrics.ts';
import { machineDeploymentMetrics } from '../machinedeployment/metrics.ts';
import { machineSetMetrics, replacementMetrics } from '../machineset/metrics.ts';
import { apiMetrics } from '../runtime/client/transport.ts';
import { eventMetrics } from '../runtime/events/events.ts';
import type { MetricTable } from '../runtime/observability/metrics.ts';
import { loopMetrics } from '../runtime/queue/loopmetrics.ts';
import { watchMetrics } from '../runtime/watch/events.ts';
import { zoneMetrics } from '../safety/meltdown/metrics.ts';
import { orphanMetrics } from '../safety/orphans/metrics.ts';
import { outageMetrics } from '../safety/outage/metrics.ts';

/** What one of several replicas tells about itself. */
const leadMetrics = {
  drover_leader: {
    type: 'gauge',
    help: 'Whether this process leads: 0 no, it stands by, 1 yes.',
    labels: [],
  },
} as const satisfies MetricTable;

/** What a scrape tells about itself (hack/spec/mcm.md 10.2). */
const scrapeMetrics = {
  mcm_misc_scrape_failure_total: {
    type: 'counter',
    help: 'Collections for a scrape that failed; binary is the program of MCM that has the metric.',
    labels: ['kind', 'binary'],
  },
} as const satisfies MetricTable;

/** Every metric of the controller, by what it tells of. */
export const metricTables: Readonly<Record<string, MetricTable>> = {
  Machines: { ...machineMetrics, ...transitionMetrics },
  MachineSets: { ...machineSetMetrics, ...replacementMetrics },
  MachineDeployments: machineDeploymentMetrics,
  Clusters: clusterMetrics,
  Zones: zoneMetrics,
  Drains: drainMetrics,
  'Driver calls': callMetrics,
  'VMs without a Machine': orphanMetrics,
  Outages: outageMetrics,
  Decisions: decisionMetrics,
  Loops: loopMetrics,
  Events: eventMetrics,
  'Lists and watches': watchMetrics,
  'Calls of API servers': apiMetrics,
  Leadership: leadMetrics,
  Scrapes: scrapeMetrics,
};
