import { join } from 'node:path';
import { openAuthority } from '../../hack/controlplane/pki.ts';
import type { Herd } from '../api/support/herd.ts';

/** The token in kubeconfigs of a tenant, which nobody may repeat. */
export const TOKEN = 'THE-TENANTS-TOKEN';

/** A server that attacks whoever asks it (badserver.ts). */
export interface BadServer {
  child: Bun.Subprocess;
  port: number;
  attacks: string[];
  ca: string;
}

/**
 * Starts the server, and reads its first line. @param folder for its authority
 * @param how `canary` is where it sends others to, `program` a server of this folder
 */
export async function startBadServer(
  folder: string,
  { canary = '', program = 'badserver.ts' }: { canary?: string; program?: string } = {},
): Promise<BadServer> {
  const authority = await openAuthority(folder, 'hostile');
  const { cert, key } = await authority.issue({ commonName: 'hostile', hosts: ['127.0.0.1'] });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program)], {
    env: { ...process.env, HOSTILE_TLS: JSON.stringify([cert, key]), HOSTILE_CANARY: canary },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const { value } = await child.stdout.getReader().read();
  return { child, ca: authority.ca, ...JSON.parse(new TextDecoder().decode(value)) };
}

/** Where the server makes this attack. */
export const attackAt = ({ port }: BadServer, attack: string): string => `https://127.0.0.1:${port}/${attack}`;

/** A tenant's kubeconfig that leads to a server, with more fields of its user and its cluster. */
export function kubeconfigTo(
  { ca }: BadServer,
  server: string,
  { user = {}, cluster = {} }: { user?: object; cluster?: object } = {},
): string {
  const trusted = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { ...trusted, ...cluster } }],
    users: [{ name: 'u', user: { token: TOKEN, ...user } }],
  });
}

/** A Cluster of this name, and the Secret with its kubeconfig. */
export async function makeCluster(herd: Herd, name: string, kubeconfig: string): Promise<void> {
  await herd.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { kubeconfig } } as never);
  const spec = { kubeconfigSecretRef: { name } };
  await herd.apply({ apiVersion: 'drover.dev/v1alpha1', kind: 'Cluster', metadata: { name }, spec } as never);
}
