import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeKubeconfig } from '../controlplane/kubeconfig.ts';
import { applyManifests, installCrds, readFolder } from '../controlplane/manifests.ts';
import { type Binaries, openPlane, type Plane, startPlane } from '../controlplane/plane.ts';
import { defaultKubernetes } from '../tools/table.ts';
import { linkPrograms, manifests, place } from './place.ts';

/** The Kubernetes version that wrote the data under .drover/; undefined when there is none. */
export const dataVersion = (): string | undefined =>
  existsSync(place.version) ? readFileSync(place.version, 'utf8') : undefined;

/**
 * Starts the control plane that lives under .drover/, unless it runs; brings its CRDs, policies and RBAC up to date, and leaves
 * a kubeconfig and kubectl for the user.
 */
export async function startControlPlane(
  kubernetes: string,
  binaries: Binaries & { kubectl: string },
  signal: AbortSignal,
): Promise<Plane> {
  const { controlPlane: folder, folders } = place;
  const plane = await openPlane({ folder, folders, binaries, durable: true });
  writeFileSync(place.version, kubernetes);
  await startPlane(plane, signal);
  await writeKubeconfig(place.kubeconfig, plane.admin);
  linkPrograms({ kubectl: binaries.kubectl });
  await installCrds(plane.admin, manifests.crds);
  for (const folder of ['everybody', 'controller', 'webhook']) {
    await applyManifests(plane.admin, await readFolder(join(manifests.policies, folder)));
  }
  await applyManifests(plane.admin, await readFolder(manifests.rbac));
  return plane;
}

/**
 * The Kubernetes version to run: the one that wrote the data, else the one asked for, else the default. Throws a
 * sentence when another one is asked for than wrote the data: an API server may not be able to read what another wrote.
 */
export function chooseKubernetes(asked: string | undefined, written: string | undefined): string {
  if (written === undefined) return asked ?? defaultKubernetes;
  if (asked === undefined || asked === written) return written;
  throw new Error(
    `The data under .drover/ was written by Kubernetes ${written}, not ${asked}. ` +
      `Call ./hack/down --purge to begin anew with ${asked}, or go on with ./hack/up --k8s ${written}.`,
  );
}
