import * as v from 'valibot';
import { objectEntries } from './common.ts';
import { cel, optional } from './field.ts';
import { age, type Kind } from './kind.ts';
import { machineSpecEntries, machineSpecRules } from './machinespec.ts';
import { machineStatus } from './machinestatus.ts';

const machineSpec = v.pipe(
  v.object(machineSpecEntries),
  v.description('What the machine shall be.'),
  cel(...machineSpecRules, {
    rule: "!has(oldSelf.providerID) || oldSelf.providerID == '' || (has(self.providerID) && self.providerID == oldSelf.providerID)",
    message: 'providerID is set once: delete this Machine and make a new one for another VM',
    fieldPath: '.providerID',
  }),
);

/** One machine (MCM 1.2, with the superset of decisions 2). */
export const machine = v.object({
  ...objectEntries,
  spec: v.optional(machineSpec, {}),
  status: optional(machineStatus, 'What the controller says of the machine.'),
});

/** One machine. */
export type Machine = v.InferOutput<typeof machine>;

/** The kind Machine: its names, columns and subresources (MCM 1). */
export const machineKind: Kind = {
  kind: 'Machine',
  plural: 'machines',
  shortName: 'mc',
  sentence: 'A Machine is one virtual or physical machine that usually joins a cluster as a Node.',
  schema: machine,
  status: true,
  scale: false,
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.currentStatus.phase' },
    age,
    { name: 'Node', type: 'string', jsonPath: '.metadata.labels.node' },
    { name: 'ProviderID', type: 'string', jsonPath: '.spec.providerID', wide: true },
    { name: 'Step', type: 'string', jsonPath: '.status.deciding.step', wide: true },
    { name: 'Reason', type: 'string', jsonPath: '.status.deciding.reason', wide: true },
  ],
};
