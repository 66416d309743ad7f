import { LABEL_TEMPLATE_HASH } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type MachineSet, machineSetKind } from '../../schemas/machineset.ts';
import { builder, type CaseTable } from './case.ts';
import { metadataCases } from './metadata.ts';
import { machineNameCases } from './names.ts';
import { setReplacingCases } from './replaces.ts';
import { templatedCases } from './templated.ts';

const machineSet = builder<MachineSet>({
  apiVersion,
  kind: 'MachineSet',
  metadata: { name: 'herd' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'herd' } },
    template: { metadata: { labels: { app: 'herd' } }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
  },
});

const hashed = (hash: string) =>
  machineSet((made) => {
    made.spec.selector = { matchLabels: { app: 'herd', [LABEL_TEMPLATE_HASH]: hash } };
    made.spec.template.metadata = { labels: { app: 'herd', [LABEL_TEMPLATE_HASH]: hash } };
  });

/** Requests about MachineSets, and the rules that refuse them. */
export const machineSetCases: CaseTable<MachineSet> = {
  kind: machineSetKind,
  cases: [
    { what: "the template's hash is added to the selector", before: machineSet(), now: hashed('1'), refused: [] },
    {
      what: "the template's hash changes in the selector",
      before: hashed('1'),
      now: hashed('2'),
      refused: ['selector-immutable'],
    },
    {
      what: "the template's hash leaves the selector",
      before: hashed('1'),
      now: machineSet(),
      refused: ['selector-immutable'],
    },
    {
      what: 'seconds that nobody counts',
      now: machineSet((made) => Object.assign(made.spec, { minReadySeconds: 500 })),
      refused: [],
      warned: ['ready-seconds'],
    },
    {
      what: 'seconds that count',
      now: machineSet((made) => Object.assign(made.spec, { minReadySeconds: 500, minReadySecondsPolicy: 'Honor' })),
      refused: [],
    },
    ...templatedCases(machineSet),
    ...setReplacingCases(machineSet),
    ...machineNameCases(machineSet, 57),
    ...metadataCases(machineSet),
  ],
};
