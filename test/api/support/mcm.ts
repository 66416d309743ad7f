import { join } from 'node:path';
import { freePort } from '../../../hack/controlplane/ports.ts';
import { builtGo } from '../../../hack/tools/gomodule.ts';
import { run } from '../../../hack/tools/run.ts';
import type { Cluster } from './controlplane.ts';

const FOLDER = join(import.meta.dir, 'mcm');
const MODULE = 'github.com/gardener/machine-controller-manager';

/** Gardener's machine-controller-manager, both of its programs, with the VMs of the virtual cloud. */
export interface Mcm {
  /** SIGTERM: its leases are not given back, and end ten seconds later. */
  stop(): Promise<void>;
}

/** Folder of MCM's own CRDs, which come with its module. */
export async function mcmCrds(): Promise<string> {
  const { Dir: folder } = JSON.parse(await run(['go', 'mod', 'download', '-json', MODULE], { cwd: FOLDER }));
  return join(folder, 'kubernetes/crds');
}

/**
 * Starts MCM for a namespace, as an administrator, and again when it ends by itself, as a pod does. It is built first, which
 * takes minutes the first time.
 * @param parts `machines` is the program of a provider alone, without that of MachineSets and MachineDeployments
 */
export async function startMcm(
  cluster: Pick<Cluster, 'kubeconfig' | 'folder'>,
  namespace: string,
  parts: 'both' | 'machines' = 'both',
): Promise<Mcm> {
  const program = await builtGo({ name: 'mcm', folder: FOLDER });
  const stopping = new AbortController();
  const ended = (async () => {
    while (!stopping.signal.aborted) {
      const ports = [parts === 'both' ? String(await freePort()) : 'none', String(await freePort())];
      const log = Bun.file(join(cluster.folder, `mcm-${crypto.randomUUID()}.log`));
      const words = [program, cluster.kubeconfig, namespace, ...ports];
      await Bun.spawn(words, { stdout: log, stderr: log, signal: stopping.signal }).exited;
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
