import { type Access, NAMESPACE } from '../schemas/access.ts';

/** What the controller may do (MCM 10.5; decisions 5 and 6). */

const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const read = ['get', 'list', 'watch'];

const own: readonly Access[] = [
  {
    group: 'machine.sapcloud.io',
    resources: ['machineclasses', 'machines', 'machinesets', 'machinedeployments'],
    verbs: all,
    scope: 'cluster',
    why: 'reconciles them',
  },
  {
    group: 'machine.sapcloud.io',
    resources: ['machines/status', 'machinesets/status', 'machinedeployments/status'],
    verbs: ['get', 'update', 'patch'],
    scope: 'cluster',
    why: 'reports what it found',
  },
  {
    group: 'machine.sapcloud.io',
    resources: ['machinesets/finalizers', 'machinedeployments/finalizers'],
    verbs: ['update'],
    scope: 'cluster',
    why: 'sets owner references that block the deletion of the owner, where admission asks for this right',
  },
  {
    group: 'machine.sapcloud.io',
    resources: ['machines'],
    verbs: ['override'],
    scope: 'cluster',
    why: 'copies protected annotations from a template to its machines',
  },
  {
    group: '',
    resources: ['secrets'],
    verbs: [...read, 'update', 'patch'],
    scope: 'cluster',
    why: 'reads user data and credentials of classes, keeps them from being deleted while in use',
  },
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['get'],
    names: ['kube-system'],
    scope: 'cluster',
    why: 'its UID is the id of the installation, put on every VM',
  },
];

const process: readonly Access[] = [
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'create', 'update', 'patch'],
    scope: `namespace:${NAMESPACE}`,
    why: 'elects the leader',
  },
  {
    group: 'events.k8s.io',
    resources: ['events'],
    verbs: ['create', 'patch'],
    scope: 'cluster',
    why: 'tells people what happens',
  },
];

const target: readonly Access[] = [
  { group: '', resources: ['nodes'], verbs: all, scope: 'cluster', why: 'follows, labels, cordons and removes Nodes' },
  {
    group: '',
    resources: ['nodes/status'],
    verbs: ['update', 'patch'],
    scope: 'cluster',
    why: 'writes conditions and virtual capacity',
  },
  { group: '', resources: ['pods'], verbs: [...read, 'delete'], scope: 'cluster', why: 'drains Nodes' },
  { group: '', resources: ['pods/eviction'], verbs: ['create'], scope: 'cluster', why: 'drains Nodes' },
  { group: 'policy', resources: ['poddisruptionbudgets'], verbs: read, scope: 'cluster', why: 'drains Nodes' },
  {
    group: '',
    resources: ['persistentvolumeclaims', 'persistentvolumes'],
    verbs: read,
    scope: 'cluster',
    why: 'waits for volumes to move before a VM goes',
  },
  {
    group: 'storage.k8s.io',
    resources: ['volumeattachments'],
    verbs: [...read, 'delete'],
    scope: 'cluster',
    why: 'detaches volumes of a VM that goes',
  },
  {
    group: '',
    resources: ['secrets'],
    verbs: ['get', 'create', 'delete'],
    scope: 'namespace:kube-system',
    why: 'makes and removes bootstrap tokens',
  },
];

const virtualDriver: readonly Access[] = [
  {
    group: '',
    resources: ['configmaps'],
    verbs: all,
    scope: 'namespace:drover-virtual-cloud',
    why: 'keeps the VMs of the virtual driver',
  },
  {
    group: '',
    resources: ['namespaces'],
    verbs: ['create'],
    scope: 'cluster',
    why: 'makes the namespace of the virtual driver in a target cluster',
  },
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
    scope: 'namespace:kube-node-lease',
    why: 'heart-beats of the Nodes of the virtual driver',
  },
];

/** Every right of the controller. */
export const access: readonly Access[] = [...own, ...process, ...target, ...virtualDriver];
