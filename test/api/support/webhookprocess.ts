import { join } from 'node:path';
import { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { applyManifests, readManifests } from '../../../hack/controlplane/manifests.ts';
import { until } from '../../../hack/lib/until.ts';
import { droverGroup, machineGroup } from '../../../schemas/kind.ts';
import type { Cluster } from './controlplane.ts';

const ROOT = join(import.meta.dir, '../../..');
const FILES = join(ROOT, 'charts/drover/files');
const PATIENCE = { timeoutMs: 60_000 };

/** A webhook process under the identity and the rights that the chart gives it. */
export interface WebhookProcess {
  port: number;
  /** What it has logged so far, a line each. */
  lines(): Promise<string[]>;
  /** SIGKILL: nothing is tidied up. */
  kill(): Promise<void>;
  /** SIGTERM: it ends as a pod does. */
  stop(): Promise<number>;
}

/** Applies the chart's RBAC and starts `bun webhook/main.ts` under it; resolves once it is ready. */
export async function startWebhook(cluster: Cluster, port = 0, more: readonly string[] = []): Promise<WebhookProcess> {
  await applyManifests(cluster.admin, await readManifests(join(FILES, 'rbac/webhook.yaml')));
  const { kubeconfig } = await cluster.serviceAccount('drover-system', 'drover-webhook');
  const log = join(cluster.folder, `webhook-${crypto.randomUUID()}.log`);
  const flags = [`--kubeconfig=${kubeconfig}`, `--port=${port}`, '--address=127.0.0.1', '--tls-server-names=127.0.0.1'];
  const child = Bun.spawn([process.execPath, 'webhook/main.ts', ...flags, ...more], {
    cwd: ROOT,
    stdout: Bun.file(log),
    stderr: 'inherit',
  });
  const lines = async () => (await Bun.file(log).text()).split('\n').filter(Boolean);
  const listening = await until(
    'the webhook to listen',
    async () => (await lines()).map(portIn).find(Boolean),
    PATIENCE,
  );
  await until('the webhook to be ready', () => isReady(listening), PATIENCE);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return child.exited;
  };
  return { port: listening, lines, kill: () => end('SIGKILL').then(() => {}), stop: () => end('SIGTERM') };
}

/** Starts the webhook and registers it with the API server. */
export async function startRegistered(cluster: Cluster, more: readonly string[] = []): Promise<WebhookProcess> {
  const webhook = await startWebhook(cluster, 0, more);
  await register(cluster, webhook.port);
  return webhook;
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`https://127.0.0.1:${port}/readyz`, { tls: { rejectUnauthorized: false } });
  return answer.ok;
}

interface Configuration extends KubeObject {
  webhooks: Array<{
    name: string;
    namespaceSelector?: object;
    clientConfig: { url?: string; service?: { path: string }; caBundle?: string };
  }>;
}

const configurations = ['validating', 'mutating'] as const;

const resourceOf = (name: (typeof configurations)[number]): Resource<Configuration> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: `${name}webhookconfigurations`,
  kind: `${name === 'validating' ? 'Validating' : 'Mutating'}WebhookConfiguration`,
  namespaced: false,
});

/**
 * Registers the webhook at a port of this machine instead of its Service, and waits until it has said by which authority.
 * @param namespaceSelector labels of the namespaces that it guards; all unless told
 */
export async function register(cluster: Cluster, port: number, namespaceSelector?: object): Promise<void> {
  const api = new Api({ connection: cluster.admin, clock });
  for (const name of configurations) {
    const configuration = Bun.YAML.parse(await Bun.file(join(FILES, `webhook/${name}.yaml`)).text()) as Configuration;
    for (const webhook of configuration.webhooks) {
      if (namespaceSelector) webhook.namespaceSelector = namespaceSelector;
      webhook.clientConfig = { url: `https://127.0.0.1:${port}${webhook.clientConfig.service?.path}` };
    }
    await api.create(resourceOf(name), configuration);
  }
  await until('the caBundle to be patched', async () => (await bundles(cluster)).every(Boolean), PATIENCE);
}

/** The caBundle of every registered webhook, in PEM. */
export async function bundles(cluster: Cluster): Promise<string[]> {
  const api = new Api({ connection: cluster.admin, clock });
  const found = await Promise.all(configurations.map((name) => api.get(resourceOf(name), { name: 'drover' })));
  return found.flatMap(({ webhooks }) =>
    webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()),
  );
}

function portIn(line: string): number | undefined {
  const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
  return msg === 'listening' ? port : undefined;
}

/** Everything on our kinds, and for operators the verb `override` as well. */
const roles = {
  herder: ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete'],
  operator: ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete', 'override'],
};

/** In the namespace, or in all of them, alice may write objects of our kinds; olga may touch protected keys as well. */
export async function admitHerders(cluster: Cluster, namespace?: string): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const scope = namespace === undefined ? 'Cluster' : '';
  const place = namespace === undefined ? {} : { namespace };
  const objects = Object.entries({ herder: 'alice', operator: 'olga' }).flatMap(([role, user]) => [
    {
      apiVersion: `${rbac}/v1`,
      kind: `${scope}Role`,
      metadata: { ...place, name: role },
      rules: [{ apiGroups: [machineGroup, droverGroup], resources: ['*'], verbs: roles[role as keyof typeof roles] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: `${scope}RoleBinding`,
      metadata: { ...place, name: role },
      roleRef: { apiGroup: rbac, kind: `${scope}Role`, name: role },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    },
  ]);
  await applyManifests(cluster.admin, objects);
}
