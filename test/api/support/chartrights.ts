import { join } from 'node:path';
import { applyManifests, readFolder, readManifests } from '../../../hack/controlplane/manifests.ts';
import type { Cluster } from './controlplane.ts';

const FILES = join(import.meta.dir, '../../../charts/drover/files');

const given = new WeakMap<Cluster, Promise<void>>();

/** Gives a cluster the rights and policies that the chart has for the controller, once; what a test takes away stays away. */
export function allowIn(cluster: Cluster): Promise<void> {
  const done = given.get(cluster) ?? allow(cluster);
  given.set(cluster, done);
  return done;
}

async function allow({ admin }: Cluster): Promise<void> {
  const rights = await readManifests(join(FILES, 'rbac/controller.yaml'));
  await applyManifests(admin, [...rights, ...(await readFolder(join(FILES, 'policies/controller')))]);
}
