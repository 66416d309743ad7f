import type { Connection } from '../controller/runtime/client/api.ts';
import { connectionFrom } from '../controller/runtime/kubeconfig/kubeconfig.ts';
import { kubeconfigSource } from '../schemas/config/kubeconfig.ts';

/** The connection that a kubeconfig setting names. Throws an Error that names the file, and what is wrong with it. */
export const connectionOf = ({ kubeconfig }: { kubeconfig: string }): Promise<Connection> =>
  connectionFrom(kubeconfigSource(kubeconfig));
