import * as v from 'valibot';
import { providers } from '../providers/index.ts';
import { refusedAddresses } from '../refusednetworks.ts';
import { STARTUP_TAINT } from '../rules/machine.ts';
import { formerIds } from './formerids.ts';
import { NO_TARGET } from './kubeconfig.ts';
import { ignoredFlags } from './mcm.ts';
import type { Program } from './program.ts';
import {
  addressOrAll,
  bootstrapGroups,
  countOrPercentage,
  duration,
  durationFrom,
  idOrNone,
  list,
  nameOrNone,
  oneOf,
  percentage,
  port,
  rate,
  serversOrNone,
  setting,
  someOf,
  someOrNone,
  taintOrNone,
  text,
  wholeFrom,
  yesNo,
} from './value.ts';

const TEN_MINUTES_MS = 600_000;

/** Where the programs live unless they are told otherwise. */
export const OWN_NAMESPACE = 'drover-system';

/** The reconcilers that `--controllers` picks from. */
export const controllerNames = ['machinedeployment', 'machineset', 'machine'] as const;

/** How much is logged, from most to least. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;

const entries = {
  controlKubeconfig: setting(
    text('path|inClusterConfig'),
    '',
    'Kubeconfig of the cluster that holds the Machines; inClusterConfig means the service account of the pod, empty the same cluster as the target.',
  ),
  targetKubeconfig: setting(
    text('path|none'),
    '',
    'Kubeconfig of the cluster that the machines join as Nodes; empty means the same cluster as the control cluster, none that they join no cluster.',
  ),
  clusterServerAllow: setting(
    serversOrNone,
    '',
    `Servers that kubeconfigs of Clusters may name although they are refused otherwise: addresses, networks (CIDR), names, and suffixes such as .example.com; names that are listed are not judged by their addresses. Refused are plain http, insecure-skip-tls-verify, and ${refusedAddresses}.`,
  ),
  clusterCacheMib: setting(
    wholeFrom(1),
    '160',
    'MiB that the controller keeps of the target of a Cluster at the most, all kinds of objects together; of a server that has more, the kind that does not fit is not followed.',
  ),
  allClustersCacheMib: setting(
    wholeFrom(0),
    '0',
    'MiB that the controller keeps of the targets of all Clusters together; 0 means five sixteenths of the memory that the process may use. Where all namespaces are looked after, the Clusters of one have at most half of what the others leave.',
  ),
  namespace: setting(nameOrNone, '', 'Only this namespace is looked after; empty means all namespaces.'),
  installationId: setting(
    idOrNone,
    '',
    'Id of this installation, in the mark of each VM; empty means the UID of namespace kube-system. A control plane that is restored or moved gets the id that it had.',
  ),
  formerInstallationIds: setting(
    formerIds,
    '',
    'Ids of other installations, each with the namespace that was moved here from it alone: its VMs of that namespace are marked anew for the machines of their names. Machines of that namespace must no longer be worked on there.',
  ),
  controllers: setting(someOf(controllerNames), '*', 'The reconcilers to run; * means all.'),
  drivers: setting(
    someOrNone(providers.map(({ name }) => name)),
    '*',
    'The drivers to run; * means all, *,-name all but that one, empty none. Machines of others are left to another machine controller.',
  ),
  port: setting(port, '10258', 'Port of /healthz, /readyz and /metrics; 0 means any free port, which the log names.'),
  address: setting(addressOrAll, '', 'Address on which the port is opened; empty means all, IPv4 and IPv6.'),
  concurrentSyncs: setting(wholeFrom(1), '50', 'How many objects of a kind are worked on at the same time.'),
  minResyncPeriod: setting(duration, '12h', 'How often every object is looked at again although nothing changed.'),
  kubeApiQps: setting(rate, '200', 'Requests per second to an API server that are allowed on average.'),
  kubeApiBurst: setting(wholeFrom(1), '400', 'Requests to an API server that are allowed at once.'),
  leaderElect: setting(yesNo, 'true', 'Work only while holding the Lease, so that several replicas can run.'),
  leaderElectNamespace: setting(
    nameOrNone,
    '',
    `Namespace of the Lease; empty means that of --namespace, or ${OWN_NAMESPACE} when that is empty, too.`,
  ),
  leaderElectLeaseDuration: setting(
    durationFrom(1_000),
    '15s',
    'How long others wait after the last renewal before they take over.',
  ),
  leaderElectRenewDeadline: setting(
    durationFrom(1),
    '10s',
    'How long the leader tries to renew before it gives up and the process ends.',
  ),
  leaderElectRetryPeriod: setting(durationFrom(1), '2s', 'Time between two attempts to take or renew the Lease.'),
  machineCreationTimeout: setting(
    duration,
    '20m',
    'A Machine that has no ready Node after this time is Failed and replaced.',
  ),
  machineHealthTimeout: setting(duration, '10m', 'A Machine that was unhealthy for this time is Failed and replaced.'),
  machineDrainTimeout: setting(duration, '2h', 'Time that a drain may take before the machine is deleted by force.'),
  machineInplaceUpdateTimeout: setting(
    duration,
    '20m',
    'An update in place that the agent on the Node has not ended after this time has failed.',
  ),
  machinePreserveTimeout: setting(
    duration,
    '96h',
    'Time for which a Failed Machine is preserved, and any Machine on request, before it may be replaced.',
  ),
  machineMaxEvictRetries: setting(
    wholeFrom(0),
    '360',
    'How often the eviction of a pod may be refused, every 20 s, before the pod is deleted; without effect if the drain time-out is shorter than that.',
  ),
  machinePvDetachTimeout: setting(
    duration,
    '2m',
    'Time that the volumes of a pod may take to be detached from a drained Node, after the grace period of the pod.',
  ),
  machinePvReattachTimeout: setting(
    duration,
    '90s',
    'Time for which a drain waits for the volumes of a pod to be attached to another Node.',
  ),
  maxConcurrentCreates: setting(wholeFrom(1), '100', 'Creations that the driver works on at the same time, per class.'),
  maxConcurrentDeletes: setting(wholeFrom(1), '100', 'Deletions that the driver works on at the same time, per class.'),
  maxConcurrentUpdates: setting(
    wholeFrom(1),
    '10',
    'Hot updates of VMs that the driver works on at the same time, per class.',
  ),
  maxDriverCalls: setting(
    wholeFrom(1),
    '400',
    'Calls of one driver method, such as createMachine, that are in flight at the same time, whatever their classes; where all namespaces are looked after, no namespace has more than half of what the others leave, and no class ever more than half of what the others of its namespace leave.',
  ),
  resourceExhaustedRetry: v.pipe(
    setting(duration, '10m', 'Wait after the provider had no room before it is asked again; 0 means 10m, as in MCM.'),
    v.transform((ms) => ms || TEN_MINUTES_MS),
  ),
  safetyUp: setting(
    wholeFrom(0),
    '2',
    'A MachineSet that gets more machines than its replicas, its surge and this number is frozen: it makes none.',
  ),
  safetyDown: setting(
    wholeFrom(0),
    '1',
    'A frozen MachineSet goes on when it has this number of machines less than the most, or no more than its replicas.',
  ),
  machineSafetyOvershootingPeriod: setting(
    duration,
    '1m',
    'Time for which a MachineSet that had too many machines stays frozen at least.',
  ),
  bootstrapTokenAuthExtraGroups: setting(
    bootstrapGroups,
    '',
    'Groups that new machines are in when they join, beside system:bootstrappers; each begins with system:bootstrappers:.',
  ),
  bootstrapTokenMaxLife: setting(
    durationFrom(1_000),
    '1h',
    'How long a bootstrap token lives at the most, whatever creation time-out a Machine asks for; while its VM is awaited it is renewed for so long at a time.',
  ),
  bootstrapTokenSigning: setting(
    yesNo,
    'false',
    'Let bootstrap tokens sign kube-public/cluster-info, for machines that find the API server by their token, as kubeadm join --discovery-token does.',
  ),
  nodeConditions: setting(
    list,
    'KernelDeadlock,ReadonlyFilesystem,DiskPressure,NetworkUnavailable',
    'Conditions of a Node that make its Machine unhealthy while they are there and not False; Unknown counts as well.',
  ),
  autoscalerScaledownAnnotationDuringRollout: setting(
    yesNo,
    'true',
    'While a MachineDeployment rolls, a cluster-autoscaler is kept from its Nodes by annotation.',
  ),
  nodeLeaseTimeout: setting(
    duration,
    '2m',
    'A Machine whose Ready Node has not renewed its Lease for this time is Unknown, and never replaced for that alone; 0 means that Leases are not looked at.',
  ),
  machineSafetyApiserverStatuscheckTimeout: setting(
    durationFrom(1_000),
    '30s',
    'How long an API server may be away before nothing is taken away any more, in its cluster or, when it is that of the Machines, anywhere.',
  ),
  machineSafetyApiserverStatuscheckPeriod: setting(
    durationFrom(1_000),
    '10s',
    'Time between two probes of an API server that answers; one that does not is probed five times within the time-out.',
  ),
  nodeName: setting(
    text('name'),
    '',
    'Name of the Node that the controller runs on (in a pod from the field spec.nodeName): its VM is not deleted under it; empty means that nothing is known of that.',
  ),
  unhealthyZoneThreshold: setting(
    percentage,
    '55%',
    'Share of the machines of a zone, or of a target cluster, above which bad health is an outage and none of them is replaced for it; two machines are never an outage, 100% means never. Judged for each namespace by its own machines and by those of all, without any single other namespace.',
  ),
  zoneReplacementBudget: setting(
    countOrPercentage,
    '10%',
    'How many machines of a zone a namespace may have replaced for being unhealthy at once, as a number or as a share of its machines there; always at least one.',
  ),
  startupTaint: setting(
    taintOrNone,
    `${STARTUP_TAINT}:NoSchedule`,
    'Taint that kubelets register with so that no pod lands before their machine runs: taken off when it first does; empty means none.',
  ),
  machineSafetyOrphanVmsPeriod: setting(
    durationFrom(1_000),
    '15m',
    'Time between two sweeps of a class for VMs without a Machine, and of a cluster for Nodes without one; a VM goes after two sightings, at least a minute or, if that is shorter, this time apart.',
  ),
  orphanPolicy: setting(
    oneOf(['delete', 'report']),
    'delete',
    'What is done with a VM of this installation that has no Machine: delete it, or only report it by events and metrics.',
  ),
  orphanGracePeriod: setting(duration, '10m', 'A VM younger than this is no orphan, nor given up as gone.'),
  orphanDeletionsPerSweep: setting(
    wholeFrom(1),
    '10',
    'Deletions of VMs without a Machine that one sweep of a class begins, at the most.',
  ),
  virtualStore: setting(
    oneOf(['cluster', 'memory']),
    'cluster',
    'Where the virtual driver keeps its VMs: as ConfigMaps in the target cluster (without one in the control cluster), or in the memory of the process (for benchmarks).',
  ),
  logLevel: setting(oneOf(logLevels), 'info', 'What is logged: this level and those above it.'),
};

const schema = v.pipe(
  v.object(entries),
  v.forward(
    v.partialCheck(
      [['controlKubeconfig'], ['targetKubeconfig']],
      (given) => given.targetKubeconfig !== NO_TARGET || given.controlKubeconfig !== '',
      'is needed when --target-kubeconfig is none; give a path, or inClusterConfig',
    ),
    ['controlKubeconfig'],
  ),
  v.forward(
    v.partialCheck(
      [['leaderElectRenewDeadline'], ['leaderElectLeaseDuration']],
      (given) => given.leaderElectRenewDeadline < given.leaderElectLeaseDuration,
      'must be shorter than --leader-elect-lease-duration, or two could lead at once',
    ),
    ['leaderElectRenewDeadline'],
  ),
  v.forward(
    v.partialCheck(
      [['leaderElectRetryPeriod'], ['leaderElectRenewDeadline']],
      // Tries are spread by a fifth; whoever leads checks the same (runtime/leader/election.ts).
      (given) => 1.2 * given.leaderElectRetryPeriod < given.leaderElectRenewDeadline,
      'must be shorter than five sixths of --leader-elect-renew-deadline, or no renewal could be retried',
    ),
    ['leaderElectRetryPeriod'],
  ),
  v.transform((given) => ({
    ...given,
    leaderElectNamespace: given.leaderElectNamespace || given.namespace || OWN_NAMESPACE,
  })),
);

/** What the controller was told; durations in milliseconds, a namespace that is empty means all. */
export type ControllerSettings = v.InferOutput<typeof schema>;

/** The controller: names and defaults are MCM's (hack/spec/mcm.md 3) but for the departures of hack/decisions/0000 9. */
export const controllerProgram: Program<ControllerSettings> = {
  start: 'drover controller',
  description: 'Reconciles MachineDeployments, MachineSets and Machines through drivers.',
  schema,
  ignored: ignoredFlags,
};
