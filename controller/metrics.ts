import { decisionMetrics } from './journal.ts';
import { eventMetrics } from './runtime/events.ts';
import { loopMetrics } from './runtime/loopmetrics.ts';
import type { MetricTable } from './runtime/metrics.ts';
import { apiMetrics } from './runtime/transport.ts';
import { watchMetrics } from './runtime/watchmetrics.ts';

/** Every metric of the controller, by what it tells of. */
export const metricTables: Readonly<Record<string, MetricTable>> = {
  Decisions: decisionMetrics,
  Loops: loopMetrics,
  Events: eventMetrics,
  'Lists and watches': watchMetrics,
  'Calls of API servers': apiMetrics,
};
