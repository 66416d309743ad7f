import { apiMetrics } from '../controller/runtime/client/transport.ts';
import type { MetricTable } from '../controller/runtime/observability/metrics.ts';
import { watchMetrics } from '../controller/runtime/watch/events.ts';

/** The webhook's own metrics. */
export const webhookMetrics = {
  drover_webhook_reviews_total: {
    type: 'counter',
    help: 'Admission reviews by kind of the object, operation and verdict.',
    labels: ['path', 'kind', 'operation', 'verdict'],
  },
  drover_webhook_findings_total: {
    type: 'counter',
    help: 'Findings by rule and level; one refused request may have several.',
    labels: ['rule', 'level'],
  },
  drover_webhook_review_duration_seconds: {
    type: 'histogram',
    help: 'Time from the arrival of a review to its answer.',
    labels: ['path'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  drover_webhook_malformed_reviews_total: {
    type: 'counter',
    help: 'Calls that could not be understood as an admission review, or were too large for one.',
    labels: ['path'],
  },
  drover_webhook_overloads_total: {
    type: 'counter',
    help: 'What was turned away for now because its address has its share: requests (bytes) and connections.',
    labels: ['limit'],
  },
  drover_webhook_access_reviews_total: {
    type: 'counter',
    help: 'Questions whether somebody may touch protected keys: answered from memory or by a question under way (hit), put to the API server (miss), not answered (error).',
    labels: ['result'],
  },
  drover_webhook_certificate_expiry_days: {
    type: 'gauge',
    help: 'Days until the certificate that is served, or the authority that signed it, expires.',
    labels: ['certificate'],
  },
} as const satisfies MetricTable;

/** All metrics of the program. */
export const metricTables: readonly MetricTable[] = [apiMetrics, watchMetrics, webhookMetrics];
