import { FINALIZER, LABEL_CLUSTER, LABEL_NODE } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type Machine, machineKind } from '../../schemas/machine.ts';
import { creationTimeoutCases, preserveCases, scalerMarkCases } from './annotations.ts';
import { type AdmissionCase, builder, type CaseTable } from './case.ts';
import { clusterThereCases } from './clusterthere.ts';
import { drivenFieldCases } from './drivenfields.ts';
import { usualObjects } from './facts.ts';
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

const heldBy = (annotation: string, ...finalizers: string[]) =>
  machine((made) => {
    made.metadata.annotations = { [annotation]: '' };
    made.metadata.finalizers = finalizers;
  });

const CHECK = 'delete.check.drover.dev/backup';
const letGo = (annotation: string) => ({ before: heldBy(annotation, FINALIZER), now: heldBy(annotation) });

/** What those who may override hold is not let go of by its finalizer (hack/decisions/0028 T81). */
const heldCases: AdmissionCase<Machine>[] = [
  { what: 'a machine that a check holds, let go by its owner', ...letGo(CHECK), refused: ['held-finalizer'] },
  {
    what: 'a machine that a check of VM Operator holds, let go by its owner',
    ...letGo('delete.check.vmoperator.vmware.com/backup'),
    refused: ['held-finalizer'],
  },
  {
    what: 'a machine that an administrator has paused, let go by its owner',
    ...letGo('protected.drover.dev/paused'),
    refused: ['held-finalizer'],
  },
  { what: 'a machine that a check holds, let go by an operator', as: 'operator', ...letGo(CHECK), refused: [] },
  { what: 'a machine that its owner has paused, let go', ...letGo('cluster.x-k8s.io/paused'), refused: [] },
  {
    what: 'a machine that a check holds, without the finalizer of somebody else',
    before: heldBy(CHECK, FINALIZER, 'example.io/own'),
    now: heldBy(CHECK, FINALIZER),
    refused: [],
  },
  {
    what: 'the check and the finalizer, both at once, by its owner',
    before: heldBy(CHECK, FINALIZER),
    now: machine(),
    refused: ['protected-delete-check', 'held-finalizer'],
  },
];

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
    ...heldCases,
    { what: 'a cluster is chosen before there is a VM', before: machine(), now: inCluster('west'), refused: [] },
    { what: 'an empty cluster becomes a real one', before: inCluster(''), now: inCluster('west'), refused: [] },
    {
      what: 'a cluster is chosen for a VM',
      before: withVm,
      now: inCluster('west', 'virtual:///1'),
      refused: ['cluster-before-vm'],
    },
    {
      what: 'another cluster (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster('west'),
      now: inCluster('east'),
      refused: ['cluster-set-once'],
    },
    {
      what: 'an empty cluster instead of one (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster('west'),
      now: inCluster(''),
      refused: ['cluster-set-once'],
    },
    {
      what: 'no cluster any more (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster('west', 'virtual:///1'),
      now: withVm,
      refused: ['cluster-set-once'],
    },
    {
      what: 'another cluster than that of its neighbours (hack/spec/cluster-api.md A1.12 L11)',
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

/** What may change of the providerSpec that a machine has for itself. */
function inlineCases(build: (change?: (made: Machine) => void) => Machine): AdmissionCase<Machine>[] {
  const inline = (providerSpec: Record<string, unknown>, providerID?: string) =>
    build((made) => {
      made.spec = { provider: 'virtual', providerSpec, ...(providerID ? { providerID } : {}) };
    });
  const VM = 'virtual:///1';
  return [
    {
      what: 'what a VM is made from, before there is one',
      before: inline({}),
      now: inline({ initialize: true }),
      refused: [],
    },
    {
      what: 'what a VM is made from, together with the VM',
      as: 'operator',
      before: inline({}),
      now: inline({ initialize: true }, VM),
      refused: [],
    },
    {
      what: 'what a VM is made from, when there is one',
      before: inline({ node: { os: 'linux' } }, VM),
      now: inline({ initialize: true, node: { os: 'windows' } }, VM),
      refused: ['inline-in-use', 'inline-in-use'],
    },
    {
      what: 'what a VM follows',
      before: inline({ tags: { team: 'blue' } }, VM),
      now: inline({ tags: { team: 'green' }, heartbeat: '5s' }, VM),
      refused: [],
    },
  ];
}
