import { join } from 'node:path';
import { unlessGone } from '../../../controller/framework/writer.ts';
import { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { configMaps } from '../../../controller/runtime/k8s/core.ts';
import { until } from '../../../hack/lib/until.ts';
import { findTools } from '../../../hack/tools/find.ts';
import type { Cluster } from './controlplane.ts';

/** The garbage collector of Kubernetes: kube-controller-manager with nothing else. */
export interface Collector {
  /** Resolves once it has looked at all that was made before: what has no owner left is on its way. */
  collected(): Promise<void>;
  end(): Promise<void>;
}

/** Starts the garbage collector; it ends with its API server, for it loses its lease then. */
export async function startCollector(cluster: Cluster): Promise<Collector> {
  const { 'kube-controller-manager': binary } = await findTools(['kube-controller-manager']);
  const flags = ['--controllers=garbage-collector-controller', '--secure-port=0'];
  const output = Bun.file(join(cluster.folder, `collector-${crypto.randomUUID()}.log`));
  const child = Bun.spawn([binary, `--kubeconfig=${cluster.kubeconfig}`, ...flags], { stdout: output, stderr: output });
  const collected = () => collectOne(cluster);
  await collected();
  return {
    collected,
    async end() {
      child.kill();
      await child.exited;
    },
  };
}

/** An object whose owner is not there goes. */
async function collectOne({ admin }: Cluster): Promise<void> {
  const api = new Api({ connection: admin, clock });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: crypto.randomUUID() };
  const name = `collected-${crypto.randomUUID()}`;
  const metadata = { namespace: 'default', name, ownerReferences: [owner] };
  await api.create(configMaps, { metadata });
  const isGone = async () => (await unlessGone(api.get(configMaps, metadata))) === undefined;
  await until('the garbage collector to collect', isGone, { timeoutMs: 60_000 });
}
