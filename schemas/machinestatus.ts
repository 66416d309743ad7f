import * as v from 'valibot';
import { anyObject, count, quantity, time, versions } from './common.ts';
import { cel, listMap, optional, required } from './field.ts';
import { powerState } from './machinespec.ts';
import { address, lastOperation, nodeCondition } from './reported.ts';
import { supersetOf } from './superset.ts';

/** What the controller says of a machine (hack/spec/mcm.md 1.2; hack/decisions/0000 2; Cluster API v1alpha1). Never the source of truth. */

/** Phases of a machine; empty while its VM is being made. */
export const phase = v.picklist([
  '',
  'Pending',
  'Available',
  'Running',
  'Unknown',
  'Failed',
  'CrashLoopBackOff',
  'Terminating',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
]);

/** A phase of a machine. */
export type Phase = v.InferOutput<typeof phase>;

const currentStatus = v.object({
  phase: optional(phase, 'Where the machine is in its life; empty while its VM is being made.'),
  timeoutActive: optional(v.boolean(), 'True while the machine is Pending after its creation.'),
  lastUpdateTime: optional(time, 'When the phase last changed; health and update time-outs count from here.'),
  preserveExpiryTime: optional(time, 'Until when the machine is preserved.'),
});

const drainedPod = v.object({
  name: required(v.string(), 'Pod as namespace/name.'),
  result: required(v.string(), 'What became of it so far.'),
  reason: optional(v.string(), 'Why it is still there.'),
  refusedSince: optional(time, 'Since when its budget has refused to let it go; `maxEvictRetries` counts from here.'),
});

const deletion = v.object({
  startedAt: required(time, 'When the machine began to leave.'),
  drain: optional(
    v.object({
      startedAt: required(time, 'When the drain began.'),
      deadline: required(time, 'When the drain has run out of time.'),
      endedAt: optional(
        time,
        'When the drain ended; it goes on if the Node takes pods again before its VM is deleted.',
      ),
      elapsedSeconds: optional(
        count,
        'How long it had run when its time began anew, after outages or because the Node took pods again, all in all.',
      ),
      pods: optional(v.pipe(v.array(drainedPod), v.maxLength(50)), 'Pods that the drain is busy with, 50 at most.'),
    }),
    'How the drain stands.',
  ),
  detachDeadline: optional(time, 'When waiting for volumes to detach has run out of time.'),
  detachElapsedSeconds: optional(
    count,
    'How long volumes had been waited for when that time began anew, after outages, all in all.',
  ),
  heldSince: optional(
    time,
    'Since when its clocks stand: an API server is unreachable, or the pods of the Node, or the rules for them, are not known.',
  ),
});

const networkStatus = v.object({
  primaryIP4: optional(v.string(), 'The address to reach the VM at, IPv4.'),
  primaryIP6: optional(v.string(), 'The address to reach the VM at, IPv6.'),
  interfaces: optional(
    v.pipe(
      v.array(
        v.object({
          name: required(v.string(), 'Name of the interface.'),
          addresses: optional(v.array(v.string()), 'Its addresses with their prefix length.'),
          macAddress: optional(v.string(), 'Its hardware address.'),
        }),
      ),
      listMap('name'),
    ),
    'Interfaces as the driver sees them.',
  ),
});

const currentStep = v.object({
  name: required(v.string(), "The first step of the machine's life that is not satisfied, or Reconciled."),
  reason: required(v.string(), 'What it waits for or does, in one word.'),
  message: optional(v.string(), 'The same in a sentence, as in the condition of the step.'),
});

const mcmEntries = {
  addresses: optional(v.array(address), 'Addresses of the machine.'),
  conditions: optional(
    v.array(nodeCondition),
    "The Node's conditions as they are, and one for each step of the machine's life, under types that no Node uses.",
  ),
  lastOperation: optional(lastOperation, 'The last thing done to the machine.'),
  currentStatus: optional(currentStatus, 'The phase and its clocks.'),
  lastKnownState: optional(v.string(), 'A memo of the driver; nobody else reads it.'),
};

const vmEntries = {
  powerState: optional(powerState, 'Power state that the VM has.'),
  lastRestartTime: optional(time, 'When the VM was last restarted because of nextRestartTime.'),
  uniqueID: optional(v.string(), 'Id of the VM where it runs.'),
  biosUUID: optional(v.string(), "UUID that the VM's firmware shows."),
  instanceUUID: optional(v.string(), 'UUID under which the provider lists the VM.'),
  hardwareVersion: optional(v.string(), 'Version of the virtual hardware.'),
  host: optional(v.string(), 'Host that the VM runs on.'),
  storage: optional(v.object({ usage: optional(quantity, 'Space in use.') }), 'Space that the VM takes.'),
  network: optional(networkStatus, 'Addresses and interfaces of the VM.'),
};

const nodeRef = v.pipe(
  v.object({
    name: required(v.string(), 'Name of the Node.'),
    uid: optional(v.string(), 'UID of the Node.'),
  }),
  cel({
    rule: 'self.name == oldSelf.name',
    message: 'a machine becomes one Node: remove nodeRef first if it named the wrong one',
  }),
);

const clusterEntries = {
  nodeRef: optional(nodeRef, 'The Node that the machine became.'),
  phase: optional(v.string(), "Mirror of currentStatus.phase for the cluster-autoscaler's clusterapi provider."),
  failureReason: optional(v.string(), "Mirror of errorReason for the cluster-autoscaler's clusterapi provider."),
  failureMessage: optional(
    v.string(),
    "Mirror of errorMessage for the cluster-autoscaler's clusterapi provider, but for a machine that is kept to be looked at.",
  ),
  errorReason: optional(v.string(), 'Why the machine cannot go on until somebody acts, in one word.'),
  errorMessage: optional(v.string(), 'Why the machine cannot go on until somebody acts, for people.'),
  versions: optional(versions, 'Versions of Kubernetes that the machine runs.'),
  lastUpdated: optional(time, 'When a look at the machine last changed this status.'),
  providerStatus: optional(anyObject, 'What the driver says of the VM, in its own words.'),
  providerConditions: optional(
    v.pipe(v.array(nodeCondition), listMap('type')),
    'Conditions that the driver reports, for example Migrating.',
  ),
};

const droverEntries = {
  currentStep: optional(currentStep, 'The first step that is not satisfied, and why.'),
  clocksFrom: optional(
    time,
    'When an outage of an API server was last over for the machine: what it began before counts from here.',
  ),
  zone: optional(
    v.string(),
    'The zone that its Node names, or named last: outages of zones are counted by it once the Node is gone.',
  ),
  deletion: optional(deletion, 'Clocks of a machine that leaves; they survive a restart of the controller.'),
};

/** Everything that MCM does not know. A field that is added here is kept when clients of MCM's drop it. */
const supersetEntries = { ...vmEntries, ...clusterEntries, ...droverEntries };

/** The fields of a machine's status that MCM does not know. */
export const statusSuperset = supersetOf('status', supersetEntries);

/** What the controller says of a machine. */
export const machineStatus = v.object({ ...mcmEntries, ...supersetEntries });
