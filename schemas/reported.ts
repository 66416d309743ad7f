import * as v from 'valibot';
import { int64, time } from './common.ts';
import { listMap, optional, required } from './field.ts';

/** Shapes of what controllers report: conditions, addresses, operations, failed machines. */

/** A condition; Node conditions have a heart-beat beside. */
const conditionEntries = {
  type: required(v.string(), 'Name of the condition.'),
  status: required(v.string(), 'True, False or Unknown.'),
  lastTransitionTime: optional(time, 'When the status last changed.'),
  reason: optional(v.string(), 'Why, in one word for programs.'),
  message: optional(v.string(), 'Why, in words for people.'),
};

/** A condition of a MachineSet (hack/spec/mcm.md 1.3). */
const setCondition = v.object(conditionEntries);

/** A condition of a MachineDeployment (hack/spec/mcm.md 1.4). */
const deploymentCondition = v.object({
  ...conditionEntries,
  lastUpdateTime: optional(time, 'When the condition was last written.'),
});

/** A condition in the form of a Node's (core/v1 NodeCondition), as Machines carry them. */
export const nodeCondition = v.object({
  ...conditionEntries,
  lastHeartbeatTime: optional(time, 'When the condition was last reported.'),
});

/** A condition of an object of ours, in Kubernetes' own form (metav1.Condition). */
const condition = v.object({
  ...conditionEntries,
  status: required(v.picklist(['True', 'False', 'Unknown']), 'True, False or Unknown.'),
  lastTransitionTime: required(time, 'When the status last changed.'),
  reason: required(v.string(), 'Why, in one word for programs.'),
  message: required(v.string(), 'Why, in words for people.'),
  observedGeneration: optional(int64, 'Generation of the object that the condition is about.'),
});

/** A condition of a Cluster or MachineClass. */
export type ObjectCondition = v.InferOutput<typeof condition>;

/** Conditions in Kubernetes' own form, one for each type. */
export const objectConditions = v.pipe(v.array(condition), listMap('type'));

/** An address of a Node or VM (core/v1 NodeAddress). */
export const address = v.object({
  type: required(v.string(), 'Kind of address, for example InternalIP or Hostname.'),
  address: required(v.string(), 'The address itself.'),
});

/** The last thing done to a machine (hack/spec/mcm.md 1.2). */
export const lastOperation = v.object({
  description: optional(v.string(), 'What is being done, in words for people.'),
  errorCode: optional(v.string(), "Name of the driver's error code, for example ResourceExhausted."),
  lastUpdateTime: optional(time, 'When this was written.'),
  state: optional(v.picklist(['', 'Processing', 'Failed', 'Successful']), 'How it stands.'),
  type: optional(
    v.picklist(['', 'Create', 'Update', 'InPlaceUpdate', 'DrainNode', 'HealthCheck', 'Delete']),
    'What kind of operation it is.',
  ),
});

/** The last thing done to a machine. */
export type LastOperation = v.InferOutput<typeof lastOperation>;

/** A failed machine in the status of its owners (hack/spec/mcm.md 1.3). */
const machineSummary = v.object({
  name: optional(v.string(), 'Name of the Machine.'),
  providerID: optional(v.string(), 'Identity of its VM.'),
  lastOperation: optional(lastOperation, 'The operation that failed.'),
  ownerRef: optional(v.string(), 'Name of the MachineSet that controls the Machine.'),
});

/** Failed machines. */
export const machineSummaries = v.array(machineSummary);

/** Conditions of a MachineDeployment, one for each type. */
export const deploymentConditions = v.pipe(v.array(deploymentCondition), listMap('type'));

/** Conditions of a MachineSet, one for each type. */
export const setConditions = v.pipe(v.array(setCondition), listMap('type'));
