import { type Alert, jobs, scrapedBy } from './alert.ts';

const controller = scrapedBy(jobs.controller);
const webhook = scrapedBy(jobs.webhook);

/** What is wrong with the two programs themselves. */
export const programAlerts: readonly Alert[] = [
  {
    name: 'DroverControllerDown',
    expr: `absent(${controller('up')} == 1)`,
    for: '5m',
    severity: 'critical',
    summary: 'No controller of Drover answers',
    runbook:
      'Nothing is made, replaced, drained or deleted; machines that run go on. `kubectl -n drover-system get pods` and the log of a pod that does not start (`kubectl logs --previous`) say why. A setting that is wrong ends the process with code 2 and a sentence for each.',
  },
  {
    name: 'DroverNoLeader',
    expr: `max(${controller('drover_leader')}) == 0`,
    for: '3m',
    severity: 'critical',
    summary: 'Controllers of Drover run, and none of them leads',
    runbook:
      'Somebody else holds a lease. `kubectl -n drover-system get leases` names who: `machine-controller-manager` and `machine-controller` are also those of Gardener’s machine-controller-manager, which must be stopped first. Or the leases cannot be written: the log of the controllers says so.',
  },
  {
    name: 'DroverReconcileFailing',
    expr: `sum by (name) (rate(${controller('drover_reconcile_total', 'outcome="error"')}[10m])) / sum by (name) (rate(${controller('drover_reconcile_total')}[10m])) > 0.1`,
    for: '15m',
    severity: 'warning',
    summary: 'More than a tenth of the passes over a {{ $labels.name }} end with an error',
    runbook:
      'The log of the leader has each with its cause at level `error`. Mostly a right is missing after an upgrade of images without the chart (`Forbidden`), or the API server refuses writes.',
  },
  {
    name: 'DroverQueueStale',
    expr: `max by (name) (${controller('drover_workqueue_oldest_ready_seconds')}) > 60`,
    for: '5m',
    severity: 'warning',
    summary: 'A {{ $labels.name }} has waited for more than a minute to be looked at',
    runbook:
      'All workers are busy. If `rest_client_request_latency_seconds` is high the API server is slow; if the controller uses a whole core it wants more CPU; else raise `--concurrent-syncs`, and with it `--kube-api-qps`.',
  },
  {
    name: 'DroverDriverFailing',
    expr: `sum by (provider, service) (rate(${controller('mcm_cloud_api_requests_failed_total')}[15m])) / sum by (provider, service) (rate(${controller('mcm_cloud_api_requests_total')}[15m])) > 0.5`,
    for: '30m',
    severity: 'warning',
    summary: 'More than half of the calls {{ $labels.service }} of the driver {{ $labels.provider }} fail',
    runbook:
      'The cloud or its credentials fail. `mcm_cloud_api_driver_requests_failed_total` has the error codes; `kubectl get mc -A -o wide` the reasons of the machines that wait for it. Calls that fail in a way that passes are tried again by themselves.',
  },
  {
    name: 'DroverWebhookDown',
    expr: `absent(${webhook('up')} == 1)`,
    for: '5m',
    severity: 'critical',
    summary: 'No webhook of Drover answers: machine objects can be neither made nor changed',
    runbook:
      'Status, finalizers, scaling and deletions go on. `kubectl -n drover-system get pods` and their logs say why. If it cannot be mended soon, and nobody may wait: `kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration drover` lets everything through until the next `helm upgrade`.',
  },
  {
    name: 'DroverWebhookFailing',
    expr: `sum(rate(${webhook('drover_webhook_reviews_total', 'verdict="failed"')}[5m]) or rate(${webhook('drover_webhook_overloads_total')}[5m])) > 0`,
    for: '10m',
    severity: 'warning',
    summary: 'The webhook refuses requests because it cannot judge them',
    runbook:
      'Not by a rule, but by an error (its log has each, with its cause), or because an address had its share of the bytes in work (429) or of the connections: then more replicas help, or `networkPolicy.apiServerCidrs` where it is no API server.',
  },
  {
    name: 'DroverWebhookSlow',
    expr: `histogram_quantile(0.99, sum by (le) (rate(${webhook('drover_webhook_review_duration_seconds_bucket')}[5m]))) > 1`,
    for: '10m',
    severity: 'warning',
    summary: 'One of a hundred reviews takes the webhook more than a second',
    runbook:
      'API servers give up after 5 seconds and then refuse the write. More replicas or CPU help; a slow API server makes questions about protected keys slow (`rest_client_request_latency_seconds`).',
  },
  {
    name: 'DroverWebhookCertificateExpiring',
    expr: `min by (certificate) (${webhook('drover_webhook_certificate_expiry_days')}) < 7`,
    for: '1h',
    severity: 'critical',
    summary: 'The {{ $labels.certificate }} certificate of the webhook ends in {{ $value | humanize }} days',
    runbook:
      'It should have been renewed long before. With `self` the log of the webhook says what it may not write (its Secret, or the webhook configurations); with `certManager` look at the Certificate (`kubectl describe certificate`); with `provided` bring a new one, which is read within a minute. When it has ended, every write of machine objects is refused.',
  },
];
