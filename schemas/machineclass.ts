import * as v from 'valibot';
import { anyObject, objectEntries, quantities, secretRef, time } from './common.ts';
import { cel, optional, required } from './field.ts';
import { age, type Kind, machineGroup } from './kind.ts';
import { objectConditions } from './reported.ts';

/** What the VMs of a class are like, for an autoscaler that has none to look at (hack/spec/mcm.md 1.1). */
export const classNodeTemplate = v.looseObject({
  capacity: required(quantities, 'Capacity of a Node of this class: cpu, gpu, memory and others.'),
  virtualCapacity: optional(quantities, 'Extended resources that are written into the capacity of each Node.'),
  instanceType: required(v.string(), "Type of the VM in the provider's words."),
  region: required(v.string(), 'Region of the VM.'),
  zone: required(v.string(), 'Zone of the VM.'),
  architecture: optional(v.string(), 'Processor architecture, for example amd64.'),
});

const machineClassStatus = v.object({
  conditions: optional(objectConditions, 'What the controller says of the class, and of the driver that serves it.'),
  vmExpectedUntil: optional(
    time,
    'Until then the VM of a deleted machine may still appear: the class and its Secrets are kept until a list of VMs shows none.',
  ),
});

/** What machines are made from. Its fields sit at top level, there is no spec (hack/spec/mcm.md 1.1). */
export const machineClass = v.pipe(
  v.object({
    ...objectEntries,
    provider: optional(v.string(), 'Name of the driver that serves the class, exactly; set once.'),
    providerSpec: required(anyObject, 'What the driver needs to make a VM, in its own words.'),
    secretRef: optional(secretRef, 'Secret with the user data and usually the credentials.'),
    credentialsSecretRef: optional(secretRef, 'Secret with credentials; its keys win over those of secretRef.'),
    nodeTemplate: optional(classNodeTemplate, 'What a Node of this class is like; read by autoscalers.'),
    status: optional(machineClassStatus, 'What the controller says of the class.'),
  }),
  cel({
    rule: "!has(oldSelf.provider) || oldSelf.provider == '' || (has(self.provider) && self.provider == oldSelf.provider)",
    message: 'provider is set once: make a new MachineClass for another provider',
    fieldPath: '.provider',
  }),
);

/** What machines are made from. */
export type MachineClass = v.InferOutput<typeof machineClass>;

/** The kind MachineClass: its names, columns and subresources (hack/spec/mcm.md 1). */
export const machineClassKind: Kind = {
  group: machineGroup,
  kind: 'MachineClass',
  plural: 'machineclasses',
  shortName: 'mcc',
  sentence: 'A MachineClass is what machines are made from: a driver and what that driver needs to make a VM.',
  schema: machineClass,
  status: true,
  scale: false,
  // MCM's class has no status: whoever writes one of its type leaves the subresource alone, and drops nothing.
  superset: [],
  columns: [age, { name: 'Provider', type: 'string', jsonPath: '.provider', wide: true }],
};
