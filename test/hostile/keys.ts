import { FINALIZER } from '../../schemas/keys.ts';
import { type Attack, byPolicy, cluster, type Manifest, machine, templated } from './attack.ts';

const PRIORITY = 'protected.drover.dev/reconcile-priority';
const RECORD = 'protected.drover.dev/machine-class';
const CLUSTER = 'cluster.k8s.io/cluster-name';
const KEYS = byPolicy('drover-protected-keys');

const stolen = JSON.stringify({
  provider: 'virtual',
  providerSpec: {},
  secretRef: { name: 'cloud', namespace: 'victim' },
});
const stored = machine();
const urgent = machine({ annotations: { [PRIORITY]: '5' } });
const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`a${at}`, '']));
const patch = (type: string, body: unknown) => `patch mc NAME --type=${type} -p ${JSON.stringify(body)}`;

const row = (tries: string, rest: Omit<Attack, 'who' | 'tries'>): Attack => ({ who: 'mallory', tries, ...rest });
const annotated = (annotations: Record<string, string>): Manifest => machine({ annotations });

const ofNode = (kind: 'Machine' | 'MachineSet' | 'MachineDeployment', labels: Record<string, string>): Manifest => {
  const spec = { nodeTemplate: { metadata: { labels } } };
  return kind === 'Machine' ? machine({}, spec) : templated(kind, { spec });
};

/** Who may not override wants to (hack/decisions/0028 W2): in every way that kubectl has, on what lives and on what leaves. */
export const keyAttacks: readonly Attack[] = [
  row('to jump the queue with a new machine', { does: 'create -f -', stdin: urgent, must: KEYS }),
  row('to jump it with a machine that is there', {
    given: [stored],
    does: `annotate mc NAME ${PRIORITY}=100`,
    must: KEYS,
  }),
  row('to jump it with one that is being deleted', {
    given: [stored],
    leaving: 'mc/NAME',
    does: `annotate mc NAME ${PRIORITY}=100`,
    must: KEYS,
  }),
  row('to lend the controller’s eyes by the class record of a machine that is being deleted', {
    given: [stored],
    leaving: 'mc/NAME',
    does: patch('merge', { metadata: { annotations: { [RECORD]: stolen } } }),
    must: KEYS,
  }),
  row('to take ownership of a protected key by force', {
    given: [urgent],
    does: 'apply --server-side --force-conflicts --field-manager=drover -f -',
    stdin: annotated({ [PRIORITY]: '100' }),
    must: KEYS,
  }),
  row('to take a protected key off by leaving it out of a PUT', {
    given: [urgent],
    does: 'replace -f -',
    stdin: stored,
    must: KEYS,
  }),
  row('to take it off by a JSON patch that tests for it first', {
    given: [urgent],
    does: patch('json', [
      { op: 'test', path: `/metadata/annotations/${PRIORITY.replace('/', '~1')}`, value: '5' },
      { op: 'remove', path: `/metadata/annotations/${PRIORITY.replace('/', '~1')}` },
    ]),
    must: KEYS,
  }),
  row('to drop all annotations at once', {
    given: [urgent],
    does: patch('merge', { metadata: { annotations: null } }),
    must: KEYS,
  }),
  row('a strategic merge patch, which custom resources do not have', {
    given: [stored],
    does: patch('strategic', { metadata: { annotations: { [PRIORITY]: '1' } } }),
    must: /unsupported media type|strategic merge patch is not supported|not supported/i,
  }),
  row('a name that the API server makes up', {
    does: 'create -f -',
    stdin: machine({ name: undefined, generateName: 'NAME-', annotations: { [PRIORITY]: '1' } }),
    must: KEYS,
  }),
  row('a status subresource, that takes no annotations', {
    given: [stored],
    does: `${patch('merge', { metadata: { annotations: { [PRIORITY]: '1' } } })} --subresource=status`,
    must: /cannot (get|patch) resource "machines\/status"/,
  }),
  ...(['MachineSet', 'MachineDeployment'] as const).map((kind) =>
    row(`a protected key in the template of a ${kind}`, {
      does: 'create -f -',
      stdin: templated(kind, { metadata: { labels: { herd: 'NAME' }, annotations: { [RECORD]: stolen } } }),
      must: KEYS,
    }),
  ),
  ...(['Machine', 'MachineSet', 'MachineDeployment'] as const).flatMap((kind) =>
    [
      'node-role.kubernetes.io/control-plane',
      'node-restriction.kubernetes.io/vault',
      'example.io.node-restriction.kubernetes.io/vault',
      'kops.k8s.io/instancegroup',
      'addons.kubernetes.io/vault',
    ].map((key) =>
      row(`a Node on which the pods of ${key} are run, by a ${kind} (hack/decisions/0028 T8, T20)`, {
        does: 'create -f -',
        stdin: ofNode(kind, { [key]: '' }),
        must: byPolicy('drover-node-keys'),
      }),
    ),
  ),
  row('such a Node, by a machine that is being deleted (hack/decisions/0028 T8)', {
    given: [stored],
    leaving: 'mc/NAME',
    does: patch('merge', { spec: { nodeTemplate: { metadata: { labels: { 'node-role.kubernetes.io/vault': '' } } } } }),
    must: byPolicy('drover-node-keys'),
  }),
  row('a Node that may be scheduled by what a kubelet may say of itself', {
    does: 'create -f -',
    stdin: ofNode('MachineDeployment', {
      'node.kubernetes.io/role': 'node',
      'kubernetes.io/arch': 'arm64',
      'topology.kubernetes.io/zone': 'a',
      'worker.gardener.cloud/pool': 'a',
    }),
    must: 'pass',
  }),
  row('a hold on the deletion of a Cluster', {
    given: [cluster()],
    does: 'annotate dcl NAME delete.check.drover.dev/mine=mallory',
    must: KEYS,
  }),
  row('a label that looks like another’s convention', {
    given: [stored],
    does: 'label mc NAME example.io.protected/door=open',
    must: KEYS,
  }),
  row('so many annotations that no policy could look through them', {
    does: 'create -f -',
    stdin: annotated(many),
    must: KEYS,
  }),
  row('more annotations than an object may have', {
    does: 'create -f -',
    stdin: annotated({ big: 'x'.repeat(300_000) }),
    must: /Too long: may not be more than 262144|metadata.annotations/,
  }),
  row('to take a machine that leaves to another cluster', {
    given: [machine({ labels: { [CLUSTER]: 'west' } })],
    leaving: 'mc/NAME',
    does: `label mc NAME --overwrite ${CLUSTER}=east`,
    must: byPolicy('drover-cluster-label'),
  }),
  row('to have a machine that leaves join a cluster', {
    given: [stored],
    leaving: 'mc/NAME',
    does: `label mc NAME ${CLUSTER}=east`,
    must: byPolicy('drover-cluster-label'),
  }),
  row('to let go of a machine that a check holds, or an administrator has paused (hack/decisions/0028 T81)', {
    given: [machine({ annotations: { 'delete.check.drover.dev/backup': '' }, finalizers: [FINALIZER] })],
    leaving: 'mc/NAME',
    does: patch('merge', { metadata: { finalizers: null } }),
    must: byPolicy('drover-held-finalizer'),
  }),
  row('to delete a machine that a check holds, whose finalizer came off before (hack/decisions/0028 T81)', {
    given: [machine({ annotations: { 'delete.check.drover.dev/backup': '' } })],
    does: 'delete mc NAME --wait=false',
    must: byPolicy('drover-held-finalizer'),
  }),
  row('what needs no privilege, on what leaves: notes go on, and finalizers come off', {
    given: [stored],
    leaving: 'mc/NAME',
    does: patch('merge', { metadata: { annotations: { 'example.io/note': 'bye' }, finalizers: null } }),
    must: 'pass',
  }),
];
