import type { Connection } from '../controller/runtime/client/api.ts';
import { inClusterConnection } from '../controller/runtime/client/incluster.ts';
import { kubeconfigConnection } from '../controller/runtime/kubeconfig/kubeconfig.ts';
import { kubeconfigSource } from '../schemas/config/kubeconfig.ts';

/** The connection that a kubeconfig setting names. Throws an Error that names the file, and what is wrong with it. */
export async function connectionOf({ kubeconfig }: { kubeconfig: string }): Promise<Connection> {
  const source = kubeconfigSource(kubeconfig);
  if (source.from === 'pod') return inClusterConnection();
  return kubeconfigConnection(source.path);
}
