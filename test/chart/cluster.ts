import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';

interface Configuration extends KubeObject {
  webhooks: Array<{ clientConfig: { caBundle?: string } }>;
}

let shared: Promise<OwnCluster> | undefined;

/** A cluster for all files whose releases are called drover, in drover-system, and leave only what a next one takes up. */
export function sharedPlane(): Promise<OwnCluster> {
  shared ??= ownControlPlane({ bare: true });
  return shared;
}

/** Waits until all kinds that are installed are served. */
export async function established(cluster: OwnCluster): Promise<void> {
  const { code, stderr } = await cluster.kubectl([
    'wait',
    '--for=condition=Established',
    'crd',
    '--all',
    '--timeout=30s',
  ]);
  if (code !== 0) throw new Error(`the kinds are not served: ${stderr}`);
}

/** Applies objects as the administrator. Throws what kubectl says when one is refused. */
export async function install(cluster: OwnCluster, objects: readonly KubeObject[], ...words: string[]): Promise<void> {
  const stdin = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { code, stderr } = await cluster.kubectl(['apply', '--server-side', '-f', '-', ...words], { stdin });
  if (code !== 0) throw new Error(stderr);
}

/** The caBundle of every webhook that is registered, in PEM; empty where there is none. */
export async function bundleIn(cluster: OwnCluster): Promise<string[]> {
  const kinds = 'validatingwebhookconfigurations,mutatingwebhookconfigurations';
  const { stdout } = await cluster.kubectl(['get', kinds, '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: Configuration[] };
  return items.flatMap(({ webhooks }) =>
    webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()),
  );
}
