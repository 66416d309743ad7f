import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { applyManifests } from '../../hack/controlplane/manifests.ts';
import { droverGroup, machineGroup } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import { installPolicies } from '../api/support/admissionpolicies.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import { type Identity, type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { register, startWebhook, type WebhookProcess } from '../api/support/webhookprocess.ts';
import type { Attacker } from './attack.ts';

/** Namespaces of the tenant: the webhook guards the first alone. */
export const TENANTS = { guarded: 'mallorys', loose: 'mallorys-loose' } as const;
const GUARD = { 'drover.dev/guarded': 'yes' };
const RBAC = 'rbac.authorization.k8s.io';
const VERBS = ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete', 'deletecollection'];

/** A real API server with the chart's roles and policies, webhook and controller under their accounts, and two tenants. */
export interface Hostile {
  cluster: OwnCluster;
  /** Words by which kubectl acts as somebody. */
  as(who: Attacker): { words: readonly string[]; kubeconfig?: string };
  end(): Promise<void>;
}

/** Starts all of it. */
export async function startHostile(): Promise<Hostile> {
  const cluster = await ownControlPlane();
  await installPolicies(cluster);
  await applyManifests(cluster.admin, world());
  const mallory = await cluster.user('mallory');
  const webhook = await startWebhook(cluster);
  await register(cluster, webhook.port, { matchLabels: GUARD });
  // No loopback address is allowed, as it is in tests that use it.
  const controller = await startController({ cluster, namespace: '', flags: ['--cluster-server-allow='] });
  await controller.working();
  return { cluster, as: (who) => identityOf(who, mallory), end: () => ended(cluster, webhook, controller) };
}

async function ended(cluster: OwnCluster, webhook: WebhookProcess, controller: ControllerProcess): Promise<void> {
  await Promise.all([webhook.stop(), controller.stop()]);
  await cluster.end();
}

const identityOf = (who: Attacker, mallory: Identity): ReturnType<Hostile['as']> =>
  who === 'mallory'
    ? { words: [], kubeconfig: mallory.kubeconfig }
    : { words: [`--as=system:serviceaccount:drover-system:drover-${who}`] };

const world = (): KubeObject[] => [
  namespace(TENANTS.guarded, GUARD),
  namespace(TENANTS.loose),
  namespace('victim', GUARD),
  tenantRole,
  ...Object.values(TENANTS).map(tenantBinding),
  ...Object.values(TENANTS).map(classOf),
  ...Object.values(TENANTS).flatMap((where) => ['west', 'east'].map((name) => clusterOf(name, where))),
  { ...secretOf('cloud', { accessKey: 'AKIA' }), metadata: { name: 'cloud', namespace: 'victim' } },
  victims('Machine', 'target', { class: { kind: 'MachineClass', name: 'none' } }),
];

/** Of the driver of simulated machines: of others it makes nothing, so nobody would look. */
const classOf = (where: string) => ({
  apiVersion: `${machineGroup}/v1alpha1`,
  kind: 'MachineClass',
  metadata: { name: 'small', namespace: where },
  provider: 'virtual',
  providerSpec: {},
});

const clusterOf = (name: string, where: string) => ({
  apiVersion: `${droverGroup}/v1alpha1`,
  kind: 'Cluster',
  metadata: { name, namespace: where },
  spec: { kubeconfigSecretRef: { name } },
});

const namespace = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

/** Everything on our kinds but `override` and the status, and on Secrets, for a class has some. */
const tenantRole = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: 'tenant' },
  rules: [
    {
      apiGroups: [machineGroup, droverGroup],
      resources: kinds.flatMap(({ plural, scale }) => [plural, ...(scale ? [`${plural}/scale`] : [])]),
      verbs: VERBS,
    },
    { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: VERBS },
  ],
};

const tenantBinding = (where: string) => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'tenant', namespace: where },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'tenant' },
  subjects: [{ apiGroup: RBAC, kind: 'User', name: 'mallory' }],
});

const secretOf = (name: string, stringData: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

const victims = (kind: string, name: string, spec: object) => ({
  apiVersion: `${machineGroup}/v1alpha1`,
  kind,
  metadata: { name, namespace: 'victim', labels: { herd: 'victims' } },
  spec,
});
