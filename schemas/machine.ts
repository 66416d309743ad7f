import * as v from 'valibot';
import { objectEntries } from './common.ts';
import { type CelRule, cel, optional } from './field.ts';
import { age, type Kind, machineGroup } from './kind.ts';
import { machineSpecEntries, machineSpecRules, specSuperset } from './machinespec.ts';
import { machineStatus, statusSuperset } from './machinestatus.ts';

const NO_VM = "!has(oldSelf.providerID) || oldSelf.providerID == ''";
const className = (self: string) => `has(${self}.class) && has(${self}.class.name) ? ${self}.class.name : ''`;
const provider = (self: string) => `has(${self}.provider) ? ${self}.provider : ''`;

/** What a VM was made from stays. The kind of the class is free: MCM overwrites it (hack/spec/mcm.md 5.3). */
const vmRules: readonly CelRule[] = [
  {
    rule: `${NO_VM} || (has(self.providerID) && self.providerID == oldSelf.providerID)`,
    message: 'providerID is set once: delete this Machine and make a new one for another VM',
    fieldPath: '.providerID',
  },
  {
    rule: `${NO_VM} || (${className('self')}) == (${className('oldSelf')})`,
    message: 'the class of a machine that has a VM stays: make a new Machine of the other class',
    fieldPath: '.class',
  },
  {
    rule: `${NO_VM} || (${provider('self')}) == (${provider('oldSelf')})`,
    message: 'the provider of a machine that has a VM stays: make a new Machine for the other provider',
    fieldPath: '.provider',
  },
];

/** Which power states follow on one another, and when a VM restarts (hack/spec/vm-operator.md 3.5.4). */
const powerRules: readonly CelRule[] = [
  {
    rule: "!has(self.powerState) || self.powerState != 'Suspended' || !has(oldSelf.powerState) || oldSelf.powerState != 'PoweredOff'",
    message: 'a machine that is powered off cannot be Suspended: power it on first',
    fieldPath: '.powerState',
  },
  {
    rule: "!has(self.nextRestartTime) || (has(oldSelf.nextRestartTime) && self.nextRestartTime == oldSelf.nextRestartTime) || ((!has(self.powerState) || self.powerState == 'PoweredOn') && (!has(oldSelf.powerState) || oldSelf.powerState == 'PoweredOn'))",
    message: 'only a machine that is powered on can restart: power it on first, which starts it anyway',
    fieldPath: '.nextRestartTime',
  },
];

const machineSpec = v.pipe(
  v.object(machineSpecEntries),
  v.description('What the machine shall be.'),
  cel(...machineSpecRules, ...vmRules, ...powerRules),
);

/** One machine (hack/spec/mcm.md 1.2, with the superset of hack/decisions/0000 2). */
export const machine = v.object({
  ...objectEntries,
  spec: v.optional(machineSpec, {}),
  status: optional(machineStatus, 'What the controller says of the machine.'),
});

/** One machine. */
export type Machine = v.InferOutput<typeof machine>;

/** The kind Machine: its names, columns and subresources (hack/spec/mcm.md 1). */
export const machineKind: Kind = {
  group: machineGroup,
  kind: 'Machine',
  plural: 'machines',
  shortName: 'mc',
  sentence: 'A Machine is one virtual or physical machine that usually joins a cluster as a Node.',
  schema: machine,
  status: true,
  scale: false,
  superset: [...specSuperset('spec'), ...statusSuperset],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.currentStatus.phase' },
    age,
    { name: 'Node', type: 'string', jsonPath: '.metadata.labels.node' },
    { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID', wide: true },
    { name: 'Step', type: 'string', jsonPath: '.status.currentStep.name', wide: true },
    { name: 'Reason', type: 'string', jsonPath: '.status.currentStep.reason', wide: true },
  ],
};
