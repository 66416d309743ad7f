import * as v from 'valibot';
import { anyObject, classRef, count, duration, lastingDuration, taints, templateMeta, versions } from './common.ts';
import { type CelRule, cel, listMap, optional, required, served } from './field.ts';
import { supersetOf } from './superset.ts';

/** What a Machine says about its Node (hack/spec/mcm.md 1.2, core/v1 NodeSpec). */

const configMapSource = v.object({
  name: required(v.string(), 'Name of the ConfigMap.'),
  namespace: required(v.string(), 'Namespace of the ConfigMap.'),
  kubeletConfigKey: required(v.string(), 'Key of the kubelet configuration in the ConfigMap.'),
  uid: optional(v.string(), 'UID of the ConfigMap.'),
  resourceVersion: optional(v.string(), 'Version of the ConfigMap.'),
});

const nodeSpec = v.object({
  taints: optional(taints, 'Taints of the Node, kept in step: one that leaves this list leaves the Node.'),
  unschedulable: optional(v.boolean(), 'Part of a NodeSpec; not synchronised.'),
  podCIDR: optional(v.string(), 'Part of a NodeSpec; not synchronised.'),
  podCIDRs: optional(v.array(v.string()), 'Part of a NodeSpec; not synchronised.'),
  providerID: optional(v.string(), 'Part of a NodeSpec; not synchronised.'),
  externalID: optional(v.string(), 'Part of a NodeSpec; not synchronised.'),
  configSource: optional(
    v.object({ configMap: optional(configMapSource, 'ConfigMap with a kubelet configuration.') }),
    'Part of a NodeSpec; Kubernetes dropped it, not synchronised.',
  ),
});

/** Labels, annotations and taints that the Node of a Machine shall have. */
const nodeTemplate = v.object({
  metadata: optional(templateMeta, 'Labels and annotations of the Node, kept in step with these.'),
  spec: optional(nodeSpec, 'Taints of the Node, kept in step with these.'),
});

/** What a machine shall be; on Machines and in the templates of sets and deployments (hack/spec/mcm.md 1.2; hack/decisions/0000 2). */

const powerMode = v.picklist(['Hard', 'Soft', 'TrySoft']);

/** Power states of a VM (VM Operator's words). */
export const powerState = v.picklist(['PoweredOn', 'PoweredOff', 'Suspended']);

const macAddress = v.pipe(
  v.string(),
  v.maxLength(64),
  v.regex(/^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/),
  v.title('MAC address such as 02:00:0a:14:00:0f'),
);

const networkInterface = v.object({
  name: required(v.pipe(v.string(), v.minLength(1), v.maxLength(63)), 'Name of the interface, unique on the machine.'),
  network: optional(v.string(), "Network to attach it to, in the driver's words; absent means the driver's default."),
  addresses: optional(
    v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.maxLength(64),
          cel({ rule: 'isCIDR(self)', message: 'write the address with its prefix length, for example 10.0.0.5/24' }),
        ),
      ),
      v.maxLength(16),
    ),
    'Fixed addresses with their prefix length; absent means that the network assigns them.',
  ),
  macAddress: optional(macAddress, 'Fixed hardware address; absent means that the driver picks one.'),
});

const network = v.object({
  disabled: optional(v.boolean(), 'True: the machine has no network, and nothing waits for an address.'),
  interfaces: optional(
    v.pipe(v.array(networkInterface), v.maxLength(32), listMap('name')),
    'Interfaces in the order in which the machine sees them.',
  ),
});

const image = v.pipe(
  v.object({
    name: optional(v.string(), 'Name of a MachineImage in the same namespace. There is no such kind yet.'),
    ref: optional(v.string(), "The image in the driver's own words. Needs a driver with `images`."),
  }),
  cel({
    rule: 'has(self.name) != has(self.ref)',
    message: "set either name, a MachineImage, or ref, the driver's own words",
  }),
);

/** hack/spec/mcm.md 1 had a kind of class for each provider. */
const namedClass = v.pipe(
  classRef,
  cel({
    rule: "!has(self.kind) || self.kind in ['', 'MachineClass']",
    message:
      'must be MachineClass; in place of a class of an older kind, such as AWSMachineClass, make a MachineClass of the same provider with its spec as providerSpec, and name that one',
    fieldPath: '.kind',
  }),
);

/** The longest ids of clouds, paths of resources in Azure, have some 400 characters (hack/decisions/0028 T55). */
const vmId = v.pipe(v.string(), v.maxLength(1_024));

/** Names of a dozen conditions have some 300 characters; each look at a Node goes through them (hack/decisions/0028 T82). */
export const MOST_CONDITIONS = 4_096;

/** MCM's fields. */
const mcmEntries = {
  class: optional(namedClass, 'The MachineClass that the machine is made from.'),
  providerID: optional(vmId, 'Identity of the VM, written by the controller once the VM exists; set once.'),
  nodeTemplate: optional(nodeTemplate, "Labels, annotations and taints of the machine's Node."),
  drainTimeout: optional(duration, 'How long a drain may take; absent means --machine-drain-timeout.'),
  healthTimeout: optional(
    lastingDuration,
    'How long a Node may be unhealthy before its machine is Failed; absent means --machine-health-timeout.',
  ),
  creationTimeout: optional(
    lastingDuration,
    'How long a machine may take to become a ready Node; absent means --machine-creation-timeout.',
  ),
  inPlaceUpdateTimeout: optional(
    lastingDuration,
    'How long an in-place update may take; absent means --machine-inplace-update-timeout.',
  ),
  machinePreserveTimeout: optional(
    duration,
    'How long a preserved machine is kept; absent means --machine-preserve-timeout.',
  ),
  disableHealthTimeout: optional(
    v.boolean(),
    'True: an unhealthy machine is reported, but never becomes Failed for it.',
  ),
  maxEvictRetries: optional(
    count,
    "How often a pod's eviction is tried before the pod is deleted; absent means --machine-max-evict-retries. A pod that is to complete (MachineDrainRule, or its label) is not asked, so that drainTimeout alone bounds the wait for it.",
  ),
  nodeConditions: optional(
    v.pipe(v.string(), v.maxLength(MOST_CONDITIONS)),
    'Node conditions that make a machine unhealthy while they are there and not False, joined by commas; absent means --node-conditions.',
  ),
};

/** Ours, beside MCM's; all may be left out. A field that is added here is kept when clients of MCM's drop it. */
const droverEntries = {
  provider: optional(
    v.pipe(v.string(), v.minLength(1)),
    'Driver of a machine without a class; goes with providerSpec.',
  ),
  providerSpec: optional(anyObject, "What a machine without a class is made from, in the driver's words."),
  deletionPolicy: served(
    v.picklist(['Delete', 'Retain']),
    'Delete',
    'What becomes of the VM when the Machine is deleted: Delete removes it, Retain leaves it running, marked as left on purpose, and needs a driver with `retain`.',
  ),
  powerState: optional(
    powerState,
    'Power state that the VM shall have; if absent, the power state is left alone. Needs a driver with `power`, and Suspended one with `suspend`.',
  ),
  powerOffMode: served(
    powerMode,
    'TrySoft',
    'How to power off: Hard pulls the plug, Soft asks the guest, TrySoft asks and then pulls the plug. Needs a driver with `power`.',
  ),
  suspendMode: served(
    powerMode,
    'TrySoft',
    'How to suspend: Hard at once, Soft through the guest, TrySoft through the guest and then at once. Needs a driver with `suspend`.',
  ),
  restartMode: served(
    powerMode,
    'TrySoft',
    'How to restart: Hard by reset, Soft through the guest, TrySoft through the guest and then by reset. Needs a driver with `restart`.',
  ),
  nextRestartTime: optional(
    v.pipe(
      v.string(),
      v.maxLength(64),
      v.regex(
        /^(now|[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))$/,
      ),
      v.title('time such as 2030-01-31T08:00:00Z, or now'),
    ),
    'Restarts the VM once at this moment, RFC 3339; "now" becomes the moment of admission. Needs a driver with `restart`.',
  ),
  network: optional(network, 'Network interfaces of the VM. Needs a driver with `network`.'),
  promoteDisksMode: optional(
    v.picklist(['Disabled', 'Online', 'Offline']),
    'How disks that depend on an image become independent: never, while the VM runs, or while it is off. But for Disabled it needs a driver with `disks`.',
  ),
  image: optional(image, 'The image that the VM boots from.'),
  versions: optional(versions, 'Versions of Kubernetes that the machine shall run. Needs a driver with `versions`.'),
  taints: optional(
    v.pipe(taints, listMap('key', 'effect')),
    'Taints that the Node gets and gets back when they are missing; none is ever removed because of this list.',
  ),
};

/** Every field of a machine's spec. */
export const machineSpecEntries = { ...mcmEntries, ...droverEntries };

/** Those of a machine's spec that MCM does not know; `at` is where the spec stands. */
export const specSuperset = (at: string) => supersetOf(at, droverEntries);

/** Rules that hold for a Machine as for a template. */
export const machineSpecRules: readonly CelRule[] = [
  {
    rule: "!has(self.provider) || !has(self.class) || !has(self.class.name) || self.class.name == ''",
    message: 'set either class, or provider and providerSpec, not both',
  },
  {
    rule: 'has(self.provider) == has(self.providerSpec)',
    message: 'provider and providerSpec go together: set both or neither',
  },
];

/** A template makes machines that do not exist yet. */
const templateRules: readonly CelRule[] = [
  {
    rule: "!has(self.powerState) || self.powerState != 'Suspended'",
    message: 'a new machine cannot be Suspended: write PoweredOn or PoweredOff, and suspend the Machines one by one',
    fieldPath: '.powerState',
  },
  {
    rule: '!has(self.nextRestartTime)',
    message:
      'a template restarts nothing: leave it out, and set spec.nextRestartTime of the Machines that are to be restarted',
    fieldPath: '.nextRestartTime',
  },
];

/** The spec in a template. */
const templateSpec = v.pipe(v.object(machineSpecEntries), cel(...machineSpecRules, ...templateRules));

/** What a machine shall be. */
export type MachineSpec = v.InferOutput<typeof templateSpec>;

/** Each is compared with those of other templates (hack/decisions/0028 T66). */
const MOST_FINALIZERS = 100;

const machineMeta = v.looseObject({
  ...templateMeta.entries,
  finalizers: optional(
    v.pipe(v.array(v.string()), v.maxLength(MOST_FINALIZERS)),
    'Finalizers of the machines that are made: each stays, when its VM and Node are gone, until somebody takes them off.',
  ),
});

/** What sets and deployments make machines from. */
export const machineTemplate = v.object({
  metadata: optional(machineMeta, 'Labels, annotations and finalizers of the machines.'),
  spec: v.optional(v.pipe(templateSpec, v.description('What the machines shall be.')), {}),
});
