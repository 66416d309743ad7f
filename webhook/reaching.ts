import type { Connection } from '../controller/runtime/api.ts';
import { inClusterConnection } from '../controller/runtime/incluster.ts';
import { kubeconfigSource } from '../schemas/config/kubeconfig.ts';

/**
 * The connection that a kubeconfig setting names. In a cluster no library for kubeconfig files is loaded: it costs 56 MB.
 * Throws an Error that names the file, and what is wrong with it.
 */
export async function connectionOf({ kubeconfig }: { kubeconfig: string }): Promise<Connection> {
  const source = kubeconfigSource(kubeconfig);
  if (source.from === 'pod') return inClusterConnection();
  const { kubeconfigConnection } = await import('../controller/runtime/kubeconfig.ts');
  return kubeconfigConnection(source.path);
}
