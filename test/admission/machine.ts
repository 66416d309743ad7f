import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type Machine, machineKind } from '../../schemas/machine.ts';
import { creationTimeoutCases, preserveCases, scalerMarkCases } from './annotations.ts';
import { builder, type CaseTable } from './case.ts';
import { clusterThereCases } from './clusterthere.ts';
import { usualObjects } from './facts.ts';
import { inlineCases } from './inline.ts';
import { type SpecBuild, specCases } from './machinespec.ts';
import { madeFromCases } from './madefrom.ts';
import { metadataCases } from './metadata.ts';
import { shortNameCases } from './names.ts';
import { powerCases } from './power.ts';

const machine = builder<Machine>({
  apiVersion,
  kind: 'Machine',
  metadata: { name: 'one', labels: { app: 'herd' } },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
});

const inCluster = (cluster: string | undefined, providerID?: string) =>
  machine((made) => {
    if (cluster !== undefined) made.metadata.labels = { app: 'herd', [LABEL_CLUSTER]: cluster };
    if (providerID) made.spec.providerID = providerID;
  });

const withVm = machine((made) => {
  made.spec.providerID = 'virtual:///1';
});

const neighbour = machine((made) => {
  made.metadata = { name: 'two', labels: { app: 'herd', [LABEL_CLUSTER]: 'east' } };
});

const spec: SpecBuild<Machine> = { build: machine, specOf: (made) => made.spec, idPrefix: '' };

/** Requests about Machines, and the rules that refuse them. */
export const machineCases: CaseTable<Machine> = {
  kind: machineKind,
  cases: [
    { what: 'a plain machine', now: machine(), refused: [] },
    { what: 'a machine in a cluster', now: inCluster('west'), refused: [] },
    { what: 'a machine gets a VM', before: inCluster('west'), now: inCluster('west', 'virtual:///1'), refused: [] },
    { what: 'a cluster is chosen before there is a VM', before: machine(), now: inCluster('west'), refused: [] },
    { what: 'an empty cluster becomes a real one', before: inCluster(''), now: inCluster('west'), refused: [] },
    {
      what: 'a cluster is chosen for a VM',
      before: withVm,
      now: inCluster('west', 'virtual:///1'),
      refused: ['cluster-before-vm'],
    },
    {
      what: 'another cluster (CKV A1.12 L1)',
      before: inCluster('west'),
      now: inCluster('east'),
      refused: ['cluster-set-once'],
    },
    {
      what: 'an empty cluster instead of one (CKV A1.12 L1)',
      before: inCluster('west'),
      now: inCluster(''),
      refused: ['cluster-set-once'],
    },
    {
      what: 'no cluster any more (CKV A1.12 L1)',
      before: inCluster('west', 'virtual:///1'),
      now: withVm,
      refused: ['cluster-set-once'],
    },
    {
      what: 'another cluster than that of its neighbours (CKV A1.12 L11)',
      now: inCluster('west'),
      among: [...usualObjects, neighbour],
      refused: [],
    },
    ...clusterThereCases((name) => inCluster(name), ''),
    ...specCases(spec),
    ...madeFromCases(spec),
    ...inlineCases(machine),
    ...shortNameCases(machine),
    ...creationTimeoutCases(machine),
    ...scalerMarkCases(machine),
    ...preserveCases(machine),
    ...powerCases(machine),
    ...metadataCases(machine),
  ],
};
