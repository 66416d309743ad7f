import * as v from 'valibot';
import { int32, int64, objectEntries } from './common.ts';
import { cel, optional, required, served } from './field.ts';
import { age, conditionColumn, droverGroup, type Kind } from './kind.ts';
import { refusedAddresses } from './refusednetworks.ts';
import { objectConditions } from './reported.ts';

/** The key of a kubeconfig Secret that is read unless the reference names another. */
export const KUBECONFIG_KEY = 'kubeconfig';

/** Longest value of a label. */
const MOST_LABEL = 63;

const secretName = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/),
  v.maxLength(253),
  v.title('name such as west-kubeconfig'),
);

const secretKey = v.pipe(
  v.string(),
  v.regex(/^[-._a-zA-Z0-9]+$/),
  v.maxLength(253),
  v.title('key of a Secret such as kubeconfig'),
);

const kubeconfigSecretRef = v.object({
  name: required(secretName, 'Name of a Secret in the same namespace.'),
  key: served(secretKey, KUBECONFIG_KEY, 'Key of the Secret under which the kubeconfig stands.'),
});

const clusterSpec = v.object({
  kubeconfigSecretRef: required(
    kubeconfigSecretRef,
    `Kubeconfig of the cluster that the Nodes join; read anew when the Secret changes. Commands and files are refused, and servers at addresses that --cluster-server-allow does not list: ${refusedAddresses}.`,
  ),
  paused: optional(v.boolean(), 'True: nothing is done for the machines of this Cluster, their deletion included.'),
  deletionProtection: optional(v.boolean(), 'True: the Cluster cannot be deleted.'),
});

const clusterStatus = v.object({
  observedGeneration: optional(int64, 'Generation of the spec that this status is about.'),
  machines: optional(int32, 'How many Machines name this Cluster; it is kept until there are none.'),
  targetUID: optional(
    v.string(),
    'UID of the namespace kube-system of the cluster that the kubeconfig led to. While machines name this Cluster, a kubeconfig that leads to another one is refused; taken out, the next one is believed.',
  ),
  conditions: optional(objectConditions, 'Conditions of the Cluster: Reachable, Frozen, Paused, NodePolicyInstalled.'),
});

/** A cluster that Nodes join (hack/decisions/0000 4). */
export const cluster = v.pipe(
  v.object({
    ...objectEntries,
    spec: required(clusterSpec, 'How the cluster is reached, and what may be done there.'),
    status: optional(clusterStatus, 'What the controller says of the cluster.'),
  }),
  cel({
    rule: `self.metadata.name.size() <= ${MOST_LABEL}`,
    message: `a Cluster's name is the value of a label: at most ${MOST_LABEL} characters`,
    fieldPath: '.metadata',
  }),
);

/** A cluster that Nodes join. */
export type Cluster = v.InferOutput<typeof cluster>;

/** The kind Cluster: its names, columns and subresources. `cl` is Cluster API's, `cs` and others are taken as well. */
export const clusterKind: Kind = {
  group: droverGroup,
  kind: 'Cluster',
  plural: 'clusters',
  shortName: 'dcl',
  sentence: 'A Cluster is a Kubernetes cluster that Nodes join, and how the controller reaches it.',
  schema: cluster,
  status: true,
  scale: false,
  superset: [],
  columns: [
    conditionColumn('Reachable'),
    conditionColumn('Frozen'),
    conditionColumn('Paused'),
    { name: 'Machines', type: 'integer', jsonPath: '.status.machines' },
    age,
  ],
};
