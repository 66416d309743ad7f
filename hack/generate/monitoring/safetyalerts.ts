import { type Alert, jobs, scrapedBy } from './alert.ts';

const own = scrapedBy(jobs.controller);

/** What holds machines up, or is wrong around them. */
export const safetyAlerts: readonly Alert[] = [
  {
    name: 'DroverAPIServerUnreachable',
    expr: `max by (server) (${own('drover_api_server_unreachable_since_seconds')}) > 0`,
    for: '5m',
    severity: 'critical',
    summary:
      'The API server {{ $labels.server }} is unreachable: nothing of its machines is replaced, drained or deleted',
    runbook:
      '`control` is the API server of the machines, `target` that of their Nodes, and namespace/name a Cluster. The controller probes it and waits; what would have been done is in its log as `held`. Mend the way to it or its credentials (`kubectl get dcl -o wide`). Nothing needs to be done afterwards: all clocks begin anew. For a cluster that will not come back, put the label `force-deletion: "True"` on the machines that shall go, and delete them.',
  },
  {
    name: 'DroverClusterUnreachable',
    expr: `max by (namespace, name) (${own('drover_cluster_condition', 'condition="Reachable"')} == 0)`,
    for: '15m',
    severity: 'warning',
    summary: 'Cluster {{ $labels.namespace }}/{{ $labels.name }} cannot be reached: its machines wait',
    runbook:
      '`kubectl describe dcl NAME` says why: the Secret or its key is missing, the kubeconfig cannot be used, the server does not answer, there is more of it than is kept (`CacheLimitExceeded`; the message names the bound that was met: raise `--cluster-cache-mib` for that of one cluster, `--all-clusters-cache-mib` or `controller.resources.limits.memory` for that of all, of which one namespace has half), or its Nodes cannot be listed (`NodesUnknown`). A Secret that is made or changed is used at once.',
  },
  {
    name: 'DroverReplacementPaused',
    expr: `max by (cluster, zone) (${own('drover_replacement_paused')}) == 1`,
    for: '5m',
    severity: 'critical',
    summary:
      'So many machines of zone {{ $labels.zone }} of cluster {{ $labels.cluster }} are unhealthy that none is replaced, of one namespace at least',
    runbook:
      'More than `--unhealthy-zone-threshold` of a zone, or of a whole cluster (zone `*`), are unhealthy: that is an outage of the cloud, of the network or of the cluster, which new machines would not mend. Mend that. Where namespaces share a target, the log (`too many machines are unhealthy`) names whose machines it holds up. Two minutes after the share has fallen, replacement goes on, a few at a time. What is lost for good is deleted by hand: `kubectl delete mc NAME`.',
  },
  {
    name: 'DroverOrphanedVMs',
    expr: `sum by (class, state) (${own('drover_orphaned_vms', 'state=~"reported|unknown|held"')}) > 0`,
    for: '1h',
    severity: 'warning',
    summary: '{{ $value }} VMs of class {{ $labels.class }} have no Machine, and stay ({{ $labels.state }})',
    runbook:
      'They cost money. `reported`: `--orphan-policy=report` forbids to delete them. `held`: something is frozen, or an API server is unreachable; that is to be mended first. `unknown`: nothing proves that they are of this installation, because age, installation or name are missing. `kubectl describe mcc NAME` has an event with the id of each; those that nobody needs are deleted in the cloud.',
  },
  {
    name: 'DroverOrphanedVMDeletionFailing',
    expr: `sum by (class) (increase(${own('drover_orphaned_vm_deletions_total', 'outcome="failed"')}[1h])) > 0`,
    for: '30m',
    severity: 'warning',
    summary: 'VMs of class {{ $labels.class }} that have no Machine cannot be deleted',
    runbook:
      'The driver refuses; event `OrphanedVMDeletionFailed` of the class has its words. The next sweep tries again by itself.',
  },
];
