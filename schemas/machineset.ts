import * as v from 'valibot';
import { classRef, count, int32, int64, labelSelector, objectEntries, time } from './common.ts';
import { defaulted, optional, required } from './field.ts';
import { age, conditionColumn, type Kind, machineGroup } from './kind.ts';
import { machineTemplate, specSuperset } from './machinespec.ts';
import { minReadySeconds, readySecondsEntries } from './readyseconds.ts';
import { lastOperation, machineSummaries, setConditions } from './reported.ts';
import { supersetOf } from './superset.ts';

const machineSetSpec = v.object({
  replicas: optional(count, 'How many machines there shall be; absent on creation means 0.'),
  selector: optional(labelSelector, "Which machines are the set's; must match the template's labels, never empty."),
  machineClass: optional(classRef, "Kept for MCM's metrics; the class of the machines is in the template."),
  template: defaulted(machineTemplate, {}, 'What the machines are made from.'),
  minReadySeconds,
  ...readySecondsEntries,
  autoPreserveFailedMachineMax: optional(
    count,
    'How many Failed machines are kept for inspection instead of replaced.',
  ),
});

const creationBackOff = v.object({
  failures: required(int32, 'How many times in a row a machine, and what took its place, failed before it ran.'),
  lastFailureTime: required(time, 'When the last one failed.'),
  message: optional(v.string(), 'What the last one said of it.'),
  generation: required(int64, "The set's generation then: a change of the spec ends the wait."),
});

const holding = v.object({
  machines: required(int32, 'How many there were.'),
  generation: required(int64, "The set's generation then: a change of the spec explains a rise."),
});

const membership = v.object({
  hash: required(v.string(), 'Of the UIDs of its machines.'),
  changes: required(int64, 'How often they have become others: names of new machines follow from it.'),
});

const releases = v.object({
  machines: required(int32, 'How many there were.'),
  since: required(time, 'When the first of them was let go: an hour later they count no more.'),
});

/** Ours, beside MCM's. A field that is added here is kept when clients of MCM's drop it. */
const droverStatusEntries = {
  labelSelector: optional(v.string(), 'The selector as text, for the subresource scale.'),
  creationBackOff: optional(creationBackOff, 'Machines that failed before they ran: the next one waits longer.'),
  membership: optional(membership, 'Which machines the set has, so that no new one gets the name of one that is gone.'),
  releases: optional(
    releases,
    'Machines that were let go because somebody changed their labels: few are within an hour.',
  ),
  holding: optional(holding, 'Machines that stay and hold a VM, or may: a rise above the limit freezes the set.'),
};

const machineSetStatus = v.object({
  replicas: optional(
    int32,
    'How many machines there are, not counting those whose VM is gone and that only another controller’s finalizer keeps.',
  ),
  fullyLabeledReplicas: optional(int32, 'How many of them carry every label of the template.'),
  readyReplicas: optional(int32, 'How many of them are ready.'),
  availableReplicas: optional(int32, 'How many of them are ready, for minReadySeconds where that is honoured.'),
  preservedFailedReplicas: optional(int32, 'How many Failed machines are preserved.'),
  autoPreserveFailedMachineCount: optional(int32, 'How many Failed machines were preserved without anybody asking.'),
  observedGeneration: optional(int64, 'Generation of the spec that this status is about.'),
  machineSetCondition: optional(setConditions, 'Conditions of the set: ReplicaFailure, Frozen, SpecValid.'),
  lastOperation: optional(lastOperation, "The last thing done to the set's machines."),
  failedMachines: optional(machineSummaries, 'Machines that failed.'),
  ...droverStatusEntries,
});

/** A number of like machines (hack/spec/mcm.md 1.3). */
export const machineSet = v.object({
  ...objectEntries,
  spec: defaulted(machineSetSpec, {}, 'What the set shall be.'),
  status: optional(machineSetStatus, 'What the controller says of the set.'),
});

/** A number of like machines. */
export type MachineSet = v.InferOutput<typeof machineSet>;

/** The kind MachineSet: its names, columns and subresources (hack/spec/mcm.md 1). */
export const machineSetKind: Kind = {
  group: machineGroup,
  kind: 'MachineSet',
  plural: 'machinesets',
  shortName: 'mcs',
  sentence: 'A MachineSet keeps a number of machines that are made from one template.',
  schema: machineSet,
  status: true,
  scale: true,
  superset: [
    ...supersetOf('spec', readySecondsEntries),
    ...specSuperset('spec.template.spec'),
    ...supersetOf('status', droverStatusEntries),
  ],
  columns: [
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Current', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    age,
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas', wide: true },
    { ...conditionColumn('Frozen', '.status.machineSetCondition'), wide: true },
  ],
};
