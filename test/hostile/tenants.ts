import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import type { Herd } from '../api/support/herd.ts';

/** A control plane of its own with a namespace for each herd, by its name; those named first are listed first, and older. */
export async function clusterFor(herds: Readonly<Record<string, Herd>>): Promise<OwnCluster> {
  const cluster = await ownControlPlane();
  for (const [name, herd] of Object.entries(herds)) herd.settle(cluster, await cluster.namespace(name));
  return cluster;
}
