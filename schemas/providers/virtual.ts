import * as v from 'valibot';
import { duration, quantities, stringMap, taint } from '../common.ts';
import { optional } from '../field.ts';
import { classNodeTemplate } from '../machineclass.ts';

/** What the virtual driver takes as `providerSpec`. Every field may be left out: `{}` makes VMs that are there at once. */

/** A field that may change on a class in use (`x-drover-hot-update`, hack/decisions/0000 6). */
const hot = <S extends v.GenericSchema>(schema: S, sentence: string) =>
  optional(v.pipe(schema, v.metadata({ 'x-drover-hot-update': true })), sentence);

const wholeNumber = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0));

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

const latency = v.strictObject({
  create: optional(duration, 'How long a create call takes; the VM exists from its beginning.'),
  boot: optional(duration, 'From the end of the create call, or of the initialization, until the VM runs.'),
  join: optional(duration, 'From the moment at which the VM runs until its Node is registered.'),
  delete: optional(duration, 'How long a delete call takes; the VM is off from its beginning.'),
  terminate: optional(
    duration,
    'How long a VM that is switched off is still there after its delete call was answered, as in clouds that answer at once.',
  ),
  spread: optional(share, 'Share by which each of these varies from VM to VM: 0.2 makes 8s to 12s of 10s.'),
});

const nodeTaint = v.strictObject({ key: taint.entries.key, value: taint.entries.value, effect: taint.entries.effect });

const node = v.strictObject({
  labels: optional(stringMap, 'Further labels of the Node.'),
  taints: optional(v.pipe(v.array(nodeTaint), v.maxLength(32)), 'Taints with which the Node registers.'),
  capacity: optional(
    quantities,
    'Capacity of the Node; absent means what the nodeTemplate of the class says, or 4 CPUs, 16Gi and 110 pods.',
  ),
  os: optional(
    v.picklist(['linux', 'windows']),
    'Puts the label kubernetes.io/os on the Node; without it the DaemonSets of most clusters stay away.',
  ),
});

/** Methods of the driver that can be made to fail. */
export const faultyMethods = [
  'createMachine',
  'deleteMachine',
  'getMachineStatus',
  'initializeMachine',
  'listMachines',
  'updateMachine',
  'retainMachine',
] as const;

/** What a call that is struck answers: an error code, or nothing until its deadline. */
const faultAnswers = [
  'Hang',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
  'Uninitialized',
] as const;

const pattern = v.pipe(v.string(), v.minLength(1), v.maxLength(253));

const callFault = v.strictObject({
  method: optional(v.picklist(faultyMethods), 'Method that is struck; absent means each of them.'),
  machine: optional(pattern, 'Machines that are struck, by name; * stands for anything, absent means all.'),
  rate: optional(share, 'Share of the calls that are struck; absent means all.'),
  times: optional(wholeNumber, 'Only the first so many calls for a machine are struck; absent means no end.'),
  answer: v.pipe(v.picklist(faultAnswers), v.description('Error code that the call answers; Hang answers nothing.')),
  effect: optional(v.boolean(), 'True: the work is done all the same and only the answer is lost.'),
});

const vmFault = v.strictObject({
  machine: optional(pattern, 'Machines that are struck, by name; * stands for anything, absent means all.'),
  rate: optional(share, 'Share of the VMs that are struck; absent means all.'),
  fate: v.pipe(
    v.picklist(['NeverJoins', 'Breaks', 'Vanishes']),
    v.description(
      'NeverJoins: no Node comes. Breaks: the Node falls silent. Vanishes: the VM is gone, its Node stays.',
    ),
  ),
  after: optional(duration, 'How long after its creation the VM breaks or vanishes; absent means at once.'),
});

const faults = v.strictObject({
  seed: optional(
    v.pipe(v.number(), v.integer('must be a whole number')),
    'Another seed strikes other calls and VMs; the same one, the same.',
  ),
  calls: optional(v.pipe(v.array(callFault), v.maxLength(64)), 'Faults of calls; the first that fits strikes.'),
  vms: optional(v.pipe(v.array(vmFault), v.maxLength(64)), 'Faults of VMs; every one that fits strikes.'),
});

const tagKey = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][-._A-Za-z0-9]{0,127}$/, 'must be letters, digits, dots, dashes or underscores, at most 128'),
  v.title('word of at most 128 letters, digits, dots, dashes and underscores'),
);

/** What the virtual driver takes as `providerSpec`. */
export const virtualSpec = v.strictObject({
  latency: hot(latency, 'How long things take; all of it is 0 unless set.'),
  capacity: hot(wholeNumber, 'Most VMs of the class at a time; one more is ResourceExhausted. Absent means no limit.'),
  heartbeat: hot(duration, 'How often the Lease of the Node is renewed; 0s means never, absent means 10s.'),
  initialize: optional(v.boolean(), 'True: a VM boots only after it has been initialized.'),
  node: optional(node, 'What the Nodes are like.'),
  tags: hot(v.record(tagKey, v.string()), 'Tags on the VM; those that others put there stay.'),
  faults: hot(faults, 'What goes wrong, and how often.'),
});

/** What it takes as `nodeTemplate` of a class: what an autoscaler reads, and nothing else. */
export const virtualNodeTemplate = v.strictObject(classNodeTemplate.entries);

/** What the virtual driver takes as `providerSpec`. */
export type VirtualSpec = v.InferOutput<typeof virtualSpec>;
/** A fault of calls. */
export type CallFault = v.InferOutput<typeof callFault>;
