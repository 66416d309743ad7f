import { type Access, NAMESPACE, RELEASE } from '../../schemas/access.ts';
import { droverGroup, machineGroup as group } from '../../schemas/kind.ts';
import { accountPolicyName, NODES_POLICY } from '../../schemas/policy.ts';

/** What the controller may do: just what it does (hack/decisions/0000 5 and 6; the names are hack/spec/mcm.md 10.5's). */

const read = ['get', 'list', 'watch'];

const own: readonly Access[] = [
  {
    group,
    resources: ['machineclasses'],
    verbs: ['list', 'watch', 'patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'hands them to drivers, and holds those in use by a finalizer',
  },
  {
    group,
    resources: ['machines', 'machinesets'],
    verbs: [...read, 'create', 'patch', 'delete'],
    scope: 'followed',
    cluster: 'control',
    why: 'makes, changes and removes them',
  },
  {
    group,
    resources: ['machinedeployments'],
    verbs: [...read, 'patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'follows them, and writes their finalizer and revision',
  },
  {
    group,
    resources: ['machineclasses/status', 'machines/status', 'machinesets/status', 'machinedeployments/status'],
    verbs: ['patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'reports what it found',
  },
  {
    group,
    resources: ['machinesets/finalizers', 'machinedeployments/finalizers'],
    verbs: ['update'],
    scope: 'followed',
    cluster: 'control',
    why: 'sets owner references that block the deletion of the owner, where admission asks for this right',
  },
  {
    group,
    resources: ['machines'],
    verbs: ['override'],
    scope: 'followed',
    cluster: 'control',
    why: 'copies protected annotations from a template to its machines',
  },
  {
    group: droverGroup,
    resources: ['clusters'],
    verbs: [...read, 'patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'follows the clusters that Nodes join, and holds those in use by a finalizer',
  },
  {
    group: droverGroup,
    resources: ['clusters/status'],
    verbs: ['patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'reports whether they answer',
  },
  {
    group: droverGroup,
    resources: ['machinedrainrules'],
    verbs: read,
    scope: 'followed',
    cluster: 'control',
    why: 'follows what people say of how pods leave Nodes that are drained',
  },
  {
    group: '',
    resources: ['secrets'],
    verbs: ['list', 'watch', 'patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'reads user data and credentials of classes, and holds those in use by a finalizer; a policy keeps it from changing more',
  },
  {
    group,
    resources: ['machines'],
    verbs: ['list'],
    scope: 'cluster',
    cluster: 'control',
    why: 'looks in all namespaces whether somebody has a Machine for a VM that is taken for an orphan',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: ['get'],
    scope: 'cluster',
    cluster: 'control',
    why: 'learns which Node it runs on itself',
  },
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    names: ['kube-system'],
    scope: 'cluster',
    cluster: 'control',
    why: 'its UID is the id of the installation, put on every VM',
  },
];

const process: readonly Access[] = [
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'create', 'update'],
    scope: `namespace:${NAMESPACE}`,
    cluster: 'control',
    why: 'elects the leader',
  },
  {
    group: 'events.k8s.io',
    resources: ['events'],
    verbs: ['create', 'patch'],
    scope: 'followed',
    cluster: 'control',
    why: 'tells people what happens',
  },
];

const target: readonly Access[] = [
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    scope: 'cluster',
    cluster: 'target',
    why: 'the UID of kube-system tells which cluster a kubeconfig leads to, and whether another one does; labels of others which MachineDrainRules pick pods in them',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: [...read, 'patch', 'delete'],
    scope: 'cluster',
    cluster: 'target',
    why: 'follows Nodes, marks them, and removes those of machines that are gone',
  },
  {
    group: 'admissionregistration.k8s.io',
    resources: ['validatingadmissionpolicybindings'],
    verbs: ['get'],
    names: [accountPolicyName(NODES_POLICY, { namespace: NAMESPACE, name: `${RELEASE}-controller` })],
    scope: 'cluster',
    cluster: 'target',
    why: 'says of a Cluster whether a policy keeps it from Nodes that are not its own',
  },
  {
    group: '',
    resources: ['nodes/status'],
    verbs: ['patch'],
    scope: 'cluster',
    cluster: 'target',
    why: 'tells in conditions of Nodes what happens to their machines',
  },
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['list'],
    scope: 'namespace:kube-node-lease',
    cluster: 'target',
    why: 'sees which Nodes no longer renew their Leases',
  },
  {
    group: '',
    resources: ['pods'],
    verbs: [...read, 'delete'],
    scope: 'cluster',
    cluster: 'target',
    why: 'drains Nodes; deletes pods when a drain is forced',
  },
  {
    group: '',
    resources: ['pods/eviction'],
    verbs: ['create'],
    scope: 'cluster',
    cluster: 'target',
    why: 'drains Nodes',
  },
  {
    group: 'policy',
    resources: ['poddisruptionbudgets'],
    verbs: ['list', 'watch'],
    scope: 'cluster',
    cluster: 'target',
    why: 'tells which budget holds up a drain, and goes on when it lets pods go',
  },
  {
    group: '',
    resources: ['persistentvolumeclaims', 'persistentvolumes'],
    verbs: ['get'],
    scope: 'cluster',
    cluster: 'target',
    why: 'finds the volumes of pods that leave',
  },
  {
    group: 'storage.k8s.io',
    resources: ['volumeattachments'],
    verbs: ['list', 'watch', 'delete'],
    scope: 'cluster',
    cluster: 'target',
    why: 'follows volumes from Node to Node; detaches them when a drain is forced',
  },
];

const tokens: readonly Access[] = [
  {
    group: '',
    resources: ['secrets'],
    verbs: ['list', 'watch', 'create', 'patch', 'delete'],
    scope: 'namespace:kube-system',
    cluster: 'target',
    why: 'makes and removes the bootstrap tokens with which new machines join',
  },
];

const virtualDriver: readonly Access[] = [
  {
    group: '',
    resources: ['nodes'],
    verbs: ['create'],
    scope: 'cluster',
    cluster: 'target',
    when: 'virtual',
    why: 'registers the Nodes of its VMs, as a kubelet does',
  },
  {
    group: '',
    resources: ['pods'],
    verbs: ['delete'],
    scope: 'cluster',
    cluster: 'target',
    when: 'virtual',
    why: 'ends pods that leave the Nodes of its VMs, as a kubelet does',
  },
  {
    group: '',
    resources: ['nodes/status'],
    verbs: ['patch'],
    scope: 'cluster',
    cluster: 'target',
    when: 'virtual',
    why: 'reports on the Nodes of its VMs, as a kubelet does',
  },
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['list', 'create', 'patch', 'delete'],
    scope: 'namespace:kube-node-lease',
    cluster: 'target',
    when: 'virtual',
    why: 'heart-beats of the Nodes of its VMs',
  },
  {
    group: '',
    resources: ['configmaps'],
    verbs: [...read, 'create', 'patch', 'delete'],
    scope: 'namespace:drover-virtual-cloud',
    cluster: 'target',
    when: 'virtual',
    why: 'keeps its VMs',
  },
];

/** Every right of the controller. */
export const access: readonly Access[] = [...own, ...process, ...target, ...tokens, ...virtualDriver];
