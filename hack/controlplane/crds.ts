import type { Connection } from '../../controller/runtime/client/api.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { until } from '../until.ts';
import { call } from './call.ts';
import { applyManifests, readFolder } from './manifests.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Crd extends KubeObject {
  status?: { conditions?: Array<{ type: string; status: string }> };
}

/** Applies every CRD of a folder, and waits until the API server serves each of them. */
export async function installCrds(admin: Connection, folder: string): Promise<void> {
  const crds = await readFolder(folder);
  await applyManifests(admin, crds);
  const established = async ({ metadata }: KubeObject): Promise<boolean> =>
    isEstablished((await call(admin, { path: `${PATH}/${metadata.name}` })) as Crd);
  for (const crd of crds) {
    await until(`${crd.metadata.name} to be established`, () => established(crd), { timeoutMs: 15_000 });
  }
}

const isEstablished = ({ status }: Crd): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
