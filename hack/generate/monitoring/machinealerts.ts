import { type Alert, jobs, scrapedBy } from './alert.ts';

const own = scrapedBy(jobs.controller);

/** What is wrong with machines. */
export const machineAlerts: readonly Alert[] = [
  {
    name: 'DroverMachineNotCreated',
    expr: `max by (namespace, name) (${own('mcm_machine_current_status_phase')} == -2)`,
    for: '30m',
    severity: 'warning',
    summary: 'Machine {{ $labels.namespace }}/{{ $labels.name }} has no VM, and creating one fails again and again',
    runbook:
      'The machine is in phase CrashLoopBackOff. `kubectl get mc NAME -o wide` names the step and the reason, `kubectl describe mc NAME` the words of the driver. `ResourceExhausted` is a cloud without room: add quota, or another class. `InvalidArgument`, `PermissionDenied` and `Unauthenticated` are mended in the class or its Secret; the next try comes at once after such a change.',
  },
  {
    name: 'DroverMachineFailed',
    expr: `max by (namespace, name) (${own('mcm_machine_current_status_phase')} == -3) unless on (namespace, name) ${own('mcm_machine_status_condition', 'condition="Preserved"')} == 1`,
    for: '1h',
    severity: 'warning',
    summary: 'Machine {{ $labels.namespace }}/{{ $labels.name }} has Failed, is not preserved, and nothing replaces it',
    runbook:
      'A Failed machine of a MachineSet is deleted and replaced, unless something holds that up: its set may be frozen or paused, its deletion may be held, or the machine belongs to no set, and then nobody but you deletes it. `kubectl get mc NAME -o wide` and `kubectl get mcs -o wide` name the step and the reason.',
  },
  {
    name: 'DroverMachinesKeepFailing',
    expr: `sum(increase(${own('mcm_machine_stale_machines_total')}[1h])) > 10`,
    for: '10m',
    severity: 'warning',
    summary: 'More than ten Failed machines were replaced within an hour',
    runbook:
      'Machines fail about as fast as they are made. `kubectl get events -A --field-selector type=Warning` shows why: `RegistrationTimedOut` is user data or a network that keeps the kubelet from its API server, `CreationTimedOut` a slow or full cloud, `HealthTimedOut` Nodes that do not stay well. To look at one, annotate it with `node.machine.sapcloud.io/preserve=when-failed`. To stop the churn, set `spec.paused` of the MachineDeployment after a bad rollout, or go back to its last revision.',
  },
  {
    name: 'DroverMachineStuckTerminating',
    expr: `max by (namespace, name) (${own('mcm_machine_current_status_phase')} == -4)`,
    for: '3h',
    severity: 'warning',
    summary:
      'Machine {{ $labels.namespace }}/{{ $labels.name }} has been leaving for three hours, longer than a drain may take',
    runbook:
      '`kubectl get mc NAME -o wide` names what holds it: a hook (`WaitingForPreDrainHook`, `WaitingForPreTerminateHook`), a target cluster that is away (`TargetClusterUnreachable`), or a driver that does not delete the VM (the reason is then its error code). `status.deletion.drain` lists the pods that stay, with the budgets that keep them. The label `force-deletion: "True"` ends the patience with pods and with a target that will not come back.',
  },
  {
    name: 'DroverRolloutStuck',
    expr: `max by (namespace, name) (${own('mcm_machine_deployment_status_condition', 'condition="Progressing"')} == 0)`,
    for: '5m',
    severity: 'warning',
    summary:
      'The rollout of MachineDeployment {{ $labels.namespace }}/{{ $labels.name }} has passed its progressDeadlineSeconds',
    runbook:
      'New machines do not become available, or old ones do not go. `kubectl get mc -o wide` shows what both wait for. To go back, set the template as it was before, or `spec.rollbackTo: {revision: 0}` for the revision before this one.',
  },
  {
    name: 'DroverMachineSetFrozen',
    expr: `max by (namespace, name) (${own('mcm_machine_set_status_condition', 'condition="Frozen"')} == 1)`,
    for: '15m',
    severity: 'warning',
    summary: 'MachineSet {{ $labels.namespace }}/{{ $labels.name }} is frozen: it makes no machine',
    runbook:
      'The set had more machines than its replicas, its surge and `--safety-up`, or somebody put the label `freeze` on it. Look who made the machines (`kubectl get mc --show-labels`, the annotation `drover.dev/created-by`). It ends by itself when there are fewer, or by the annotation `safety.machine.sapcloud.io/unfreeze` on the set or its MachineDeployment.',
  },
];
