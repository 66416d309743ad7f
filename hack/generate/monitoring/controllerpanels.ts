import { scrapedBy } from './alert.ts';
import { jobVariables, type Rows } from './panel.ts';

const own = scrapedBy(jobVariables.controller);

const failedShare = `sum by (provider, service) (rate(${own('mcm_cloud_api_requests_failed_total')}[$__rate_interval])) / sum by (provider, service) (rate(${own('mcm_cloud_api_requests_total')}[$__rate_interval]))`;

/** What the controller tells. */
export const controllerRows: Rows = {
  Machines: [
    {
      title: 'Machines',
      description: 'How many there are, by phase.',
      type: 'timeseries',
      unit: 'short',
      queries: [{ expr: `sum by (phase) (${own('drover_machines')})`, legend: '{{phase}}' }],
    },
    {
      title: 'What machines wait for',
      description: 'The step that decides, and its reason; satisfied machines have none.',
      type: 'timeseries',
      unit: 'short',
      queries: [
        { expr: `sum by (step, reason) (${own('drover_machines', 'step!=""')})`, legend: '{{step}} {{reason}}' },
      ],
    },
    {
      title: 'Wanted and ready',
      description: 'Of all MachineDeployments together.',
      type: 'timeseries',
      unit: 'short',
      queries: [
        { expr: `sum(${own('mcm_machine_deployment_info_spec_replicas')})`, legend: 'wanted' },
        { expr: `sum(${own('mcm_machine_deployment_status_ready_replicas')})`, legend: 'ready' },
        { expr: `sum(${own('mcm_machine_deployment_status_updated_replicas')})`, legend: 'up to date' },
      ],
    },
    {
      title: 'From creation to Running',
      description: 'Half and 95 of a hundred machines took no longer.',
      type: 'timeseries',
      unit: 's',
      queries: [0.5, 0.95].map((share) => ({
        expr: `histogram_quantile(${share}, sum by (le) (rate(${own('drover_machine_create_to_running_seconds_bucket')}[$__rate_interval])))`,
        legend: `${share * 100} %`,
      })),
    },
    {
      title: 'Failed machines replaced',
      description: 'In an hour.',
      type: 'timeseries',
      unit: 'short',
      queries: [{ expr: `sum(increase(${own('mcm_machine_stale_machines_total')}[1h]))`, legend: 'replaced' }],
    },
  ],
  Safety: [
    {
      title: 'API servers away',
      description: 'For how long.',
      type: 'stat',
      unit: 's',
      queries: [
        {
          expr: `max by (server) ((time() - ${own('drover_api_server_unreachable_since_seconds')}) * (${own('drover_api_server_unreachable_since_seconds')} > bool 0))`,
          legend: '{{server}}',
        },
      ],
    },
    {
      title: 'Replacement stopped',
      description: 'Clusters and zones in an outage, in which no machine is replaced.',
      type: 'stat',
      unit: 'short',
      queries: [{ expr: `sum(${own('drover_replacement_paused')})`, legend: 'areas' }],
    },
    {
      title: 'Ill machines by zone',
      description: 'Share of the machines of a zone.',
      type: 'timeseries',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum by (cluster, zone) (${own('drover_zone_machines', 'health!="healthy"')}) / sum by (cluster, zone) (${own('drover_zone_machines')})`,
          legend: '{{cluster}} {{zone}}',
        },
      ],
    },
    {
      title: 'Frozen sets',
      description: 'MachineSets that make no machine because they had too many.',
      type: 'stat',
      unit: 'short',
      queries: [
        { expr: `sum(${own('mcm_machine_set_status_condition', 'condition="Frozen"')} == bool 1)`, legend: 'frozen' },
      ],
    },
    {
      title: 'VMs without a Machine',
      description: 'By how they stand; those of other installations are foreign, those left on purpose retained.',
      type: 'timeseries',
      unit: 'short',
      queries: [{ expr: `sum by (state) (${own('drover_orphaned_vms')})`, legend: '{{state}}' }],
    },
  ],
  Controller: [
    {
      title: 'Leaders',
      description: 'One, or nothing is done.',
      type: 'stat',
      unit: 'short',
      queries: [{ expr: `sum(${own('drover_leader')})`, legend: 'leading' }],
    },
    {
      title: 'Passes',
      description: 'A second, by loop and how they ended.',
      type: 'timeseries',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (name, outcome) (rate(${own('drover_reconcile_total')}[$__rate_interval]))`,
          legend: '{{name}} {{outcome}}',
        },
      ],
    },
    {
      title: 'Oldest in the queue',
      description: 'For how long the oldest ready key has waited for a worker.',
      type: 'timeseries',
      unit: 's',
      queries: [{ expr: `max by (name) (${own('drover_workqueue_oldest_ready_seconds')})`, legend: '{{name}}' }],
    },
    {
      title: 'Driver calls that fail',
      description: 'Share of the calls, by driver and method.',
      type: 'timeseries',
      unit: 'percentunit',
      queries: [{ expr: failedShare, legend: '{{provider}} {{service}}' }],
    },
    {
      title: 'API calls',
      description: 'A second, by answer.',
      type: 'timeseries',
      unit: 'ops',
      queries: [
        {
          expr: `sum by (code) (rate(${own('rest_client_requests_total')}[$__rate_interval]))`,
          legend: '{{code}}',
        },
      ],
    },
  ],
};
