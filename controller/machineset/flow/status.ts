import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { isOnlyKept } from '../../../schemas/rules/machine.ts';
import { availableIn, isPreservedFailed } from '../../model/machine.ts';
import { selectingFault, selectorText } from '../../model/ownership.ts';
import { phaseOf } from '../../model/phases.ts';
import { specCondition, templateFault } from '../../model/template.ts';
import { backOffOf, repeatedFailure } from './backoff.ts';
import { holdingOf } from './overshoot.ts';
import { isAutoPreserved } from './preservation.ts';
import { heldBackText, releasesOf } from './releases.ts';
import { membershipOf } from './template.ts';
import type { MachineSetView } from './view.ts';

type Status = NonNullable<MachineSet['status']>;

/** What went wrong when machines were last created, deleted or changed, or came up. */
export interface ReplicaFailure {
  reason:
    | 'FailedCreate'
    | 'FailedDelete'
    | 'FailedUpdate'
    | 'ReleaseLimitExceeded'
    | 'BackOff'
    | 'TargetClusterUnreachable';
  message: string;
}

/** The status that the MachineSet should have (hack/spec/mcm.md 5.6). @param timestamp the view's moment as RFC 3339 */
export function statusOf(view: MachineSetView, failure: ReplicaFailure | undefined, timestamp: string): Status {
  const { set, now } = view;
  const machines = view.machines.filter((machine) => !isOnlyKept(machine));
  const creationBackOff = backOffOf(view);
  const labels = Object.entries(set.spec?.template?.metadata?.labels ?? {});
  const labeled = ({ metadata }: Machine) => labels.every(([key, value]) => metadata.labels?.[key] === value);
  return {
    ...set.status,
    replicas: machines.length,
    fullyLabeledReplicas: machines.filter(labeled).length,
    readyReplicas: machines.filter(isRunning).length,
    availableReplicas: machines.filter((machine) => availableIn(set, machine, now) === 0).length,
    preservedFailedReplicas: machines.filter((machine) => isPreservedFailed(machine, now)).length,
    autoPreserveFailedMachineCount: machines.filter(isAutoPreserved).length,
    observedGeneration: set.metadata.generation,
    failedMachines: failedMachines({ ...view, machines }),
    creationBackOff,
    holding: holdingOf(view),
    membership: membershipOf(view),
    releases: releasesOf(view, timestamp),
    machineSetCondition: conditions(
      set,
      failure ?? limited(view) ?? backingOff(repeatedFailure(creationBackOff)),
      timestamp,
    ),
    labelSelector: selectorText(set.spec?.selector),
  };
}

/** Ours: somebody changes the labels of many machines. */
function limited(view: MachineSetView): ReplicaFailure | undefined {
  const message = heldBackText(view);
  return message === undefined ? undefined : { reason: 'ReleaseLimitExceeded', message };
}

/** Ours: of machines that are made and never run MCM tells nothing. A MachineDeployment copies it. */
const backingOff = (message: string | undefined): ReplicaFailure | undefined =>
  message === undefined ? undefined : { reason: 'BackOff', message };

/** The Machine is Running and stays. */
const isRunning = (machine: Machine): boolean => phaseOf(machine) === 'Running';

/** Milliseconds until the next Machine becomes available by mere waiting. */
export const nextAvailable = ({ set, machines, now }: MachineSetView): number =>
  Math.min(...machines.map((machine) => availableIn(set, machine, now)).filter((ms) => ms > 0));

/** Preserved ones are no failures to act on (hack/spec/mcm.md 6.12). */
function failedMachines({ set, machines, now }: MachineSetView): Status['failedMachines'] {
  const failed = machines.filter(
    (machine) => machine.status?.lastOperation?.state === 'Failed' && !isPreservedFailed(machine, now),
  );
  if (failed.length === 0) return undefined;
  return failed.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    providerID: spec?.providerID,
    lastOperation: status?.lastOperation,
    ownerRef: set.metadata.name,
  }));
}

function conditions(set: MachineSet, failure: ReplicaFailure | undefined, now: string): Status['machineSetCondition'] {
  const before = set.status?.machineSetCondition ?? [];
  const others = before.filter(({ type }) => type !== 'ReplicaFailure' && type !== 'SpecValid');
  const failed = failure && ({ type: 'ReplicaFailure', status: 'True', ...failure } as const);
  const added = [failed, specCondition(selectingFault(set.spec ?? {}) ?? templateFault(set))].filter(
    (condition) => condition !== undefined,
  );
  const since = (type: string) => before.find((old) => old.type === type)?.lastTransitionTime ?? now;
  const all = [...others, ...added.map((one) => ({ ...one, lastTransitionTime: since(one.type) }))];
  return all.length > 0 ? all : undefined;
}
