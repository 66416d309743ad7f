import { scrapedBy } from './alert.ts';
import { jobVariables, type Rows } from './panel.ts';

const webhook = scrapedBy(jobVariables.webhook);

/** A process metric of both programs, by pod. */
const both = (metric: (of: (name: string) => string) => string) =>
  Object.values(jobVariables).map((job) => ({ expr: metric(scrapedBy(job)), legend: '{{pod}}' }));

/** What the webhook tells, and both processes of themselves. */
export const programRows: Rows = {
  Webhook: [
    {
      title: 'Reviews',
      description: 'A second, by verdict.',
      type: 'timeseries',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (verdict) (rate(${webhook('drover_webhook_reviews_total')}[$__rate_interval]))`,
          legend: '{{verdict}}',
        },
      ],
    },
    {
      title: 'Rules that refuse',
      description: 'Findings in an hour.',
      type: 'timeseries',
      unit: 'short',
      queries: [
        {
          expr: `sum by (rule) (increase(${webhook('drover_webhook_findings_total', 'level="deny"')}[1h]))`,
          legend: '{{rule}}',
        },
      ],
    },
    {
      title: 'Time of a review',
      description: '99 of a hundred took no longer.',
      type: 'timeseries',
      unit: 's',
      queries: [
        {
          expr: `histogram_quantile(0.99, sum by (le, path) (rate(${webhook('drover_webhook_review_duration_seconds_bucket')}[$__rate_interval])))`,
          legend: '{{path}}',
        },
      ],
    },
    {
      title: 'Certificates end in',
      description: 'Days until the certificate, or the authority that signed it, ends.',
      type: 'stat',
      unit: 'd',
      queries: [
        {
          expr: `min by (certificate) (${webhook('drover_webhook_certificate_expiry_days')})`,
          legend: '{{certificate}}',
        },
      ],
    },
  ],
  Processes: [
    {
      title: 'Memory',
      description: 'Resident.',
      type: 'timeseries',
      unit: 'bytes',
      queries: both((of) => of('process_resident_memory_bytes')),
    },
    {
      title: 'CPU',
      description: 'Cores in use.',
      type: 'timeseries',
      unit: 'short',
      queries: both((of) => `rate(${of('process_cpu_seconds_total')}[$__rate_interval])`),
    },
    {
      title: 'Event loop',
      description: 'How late 99 of a hundred turns came at most.',
      type: 'timeseries',
      unit: 's',
      queries: both((of) => of('nodejs_eventloop_lag_p99_seconds')),
    },
  ],
};
