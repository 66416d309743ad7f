import { LABEL_CLUSTER, LABEL_NODE } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type Machine, machineKind } from '../../schemas/machine.ts';
import { creationTimeoutCases, preserveCases, scalerMarkCases } from './annotations.ts';
import { type AdmissionCase, builder, type CaseTable } from './case.ts';
import { clusterThereCases } from './clusterthere.ts';
import { drivenFieldCases } from './drivenfields.ts';
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

const claiming = (node: string | undefined, providerID?: string) =>
  machine((made) => {
    if (node !== undefined) made.metadata.labels = { app: 'herd', [LABEL_NODE]: node };
    if (providerID !== undefined) made.spec.providerID = providerID;
  });

/** What says which VM and which Node are the machine's (hack/decisions/0028 W4). */
const claimCases: AdmissionCase<Machine>[] = [
  { what: 'a machine brought back with its VM and Node', now: claiming('n1', 'virtual:///1'), refused: [] },
  {
    what: 'a VM and a Node claimed later by its owner',
    before: machine(),
    now: claiming('n1', 'virtual:///1'),
    refused: ['claimed-node', 'claimed-vm'],
  },
  {
    what: 'a VM and a Node claimed later by an operator',
    as: 'operator',
    before: machine(),
    now: claiming('n1', 'virtual:///1'),
    refused: [],
  },
  {
    what: 'another Node by its owner',
    before: claiming('n1', 'virtual:///1'),
    now: claiming('n2', 'virtual:///1'),
    refused: ['claimed-node'],
  },
  {
    what: 'no Node any more by its owner',
    before: claiming('n1', 'virtual:///1'),
    now: claiming(undefined, 'virtual:///1'),
    refused: ['claimed-node'],
  },
  {
    what: 'another Node by an operator',
    as: 'operator',
    before: claiming('n1', 'virtual:///1'),
    now: claiming('n2', 'virtual:///1'),
    refused: [],
  },
  { what: 'no Node, written as an empty one', before: machine(), now: claiming('', ''), refused: [] },
];

const spec: SpecBuild<Machine> = { build: machine, specOf: (made) => made.spec, idPrefix: '' };

/** Requests about Machines, and the rules that refuse them. */
export const machineCases: CaseTable<Machine> = {
  kind: machineKind,
  cases: [
    { what: 'a plain machine', now: machine(), refused: [] },
    { what: 'a machine in a cluster', now: inCluster('west'), refused: [] },
    {
      what: 'a machine gets a VM from its controller',
      as: 'operator',
      before: inCluster('west'),
      now: inCluster('west', 'virtual:///1'),
      refused: [],
    },
    ...claimCases,
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
    ...drivenFieldCases(spec),
    ...inlineCases(machine),
    ...shortNameCases(machine),
    ...creationTimeoutCases(machine),
    ...scalerMarkCases(machine),
    ...preserveCases(machine),
    ...powerCases(machine),
    ...metadataCases(machine),
  ],
};
