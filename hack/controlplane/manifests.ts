import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Connection } from '../../controller/runtime/client/api.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { until } from '../lib/until.ts';
import { call } from './call.ts';

/** Objects of a YAML file, in its order. */
export async function readManifests(file: string): Promise<KubeObject[]> {
  return parseAllDocuments(await Bun.file(file).text()).map((document) => document.toJS());
}

/** Objects of every YAML file of a folder, by the files' names. */
export async function readFolder(folder: string): Promise<KubeObject[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return (await Promise.all(files.sort().map((name) => readManifests(join(folder, name))))).flat();
}

/**
 * Applies objects one after the other by server-side apply, taking over every field that they name; an unknown field is an
 * error. A namespaced object that names no namespace goes to the one given, or to `default`.
 */
export async function applyManifests(
  connection: Connection,
  objects: readonly KubeObject[],
  namespace = 'default',
): Promise<void> {
  const lists = new Map<string, Promise<ResourceList>>();
  for (const object of objects) {
    const base = `/${object.apiVersion?.includes('/') ? 'apis' : 'api'}/${object.apiVersion}`;
    const known = lists.get(base) ?? (call(connection, { path: base }) as Promise<ResourceList>);
    lists.set(base, known);
    await call(connection, {
      method: 'PATCH',
      path: `${base}${pathOf(object, await known, namespace)}?${APPLY}`,
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
  }
}

/** What discovery says about a version of a group (meta/v1 APIResourceList). */
interface ResourceList {
  resources: ReadonlyArray<{ name: string; kind: string; namespaced: boolean }>;
}

const APPLY = 'fieldManager=drover-hack&force=true&fieldValidation=Strict';

function pathOf({ kind, metadata }: KubeObject, { resources }: ResourceList, namespace: string): string {
  const resource = resources.find(({ kind: served, name }) => served === kind && !name.includes('/'));
  if (!resource) throw new Error(`the API server does not serve ${kind}, of which ${metadata.name} is one`);
  const place = resource.namespaced ? `/namespaces/${metadata.namespace ?? namespace}` : '';
  return `${place}/${resource.name}/${metadata.name}`;
}

const CRDS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Crd extends KubeObject {
  status?: { conditions?: Array<{ type: string; status: string }> };
}

/** Applies every CRD of a folder, and waits until the API server serves each of them. */
export async function installCrds(admin: Connection, folder: string): Promise<void> {
  const crds = await readFolder(folder);
  await applyManifests(admin, crds);
  const established = async ({ metadata }: KubeObject): Promise<boolean> =>
    isEstablished((await call(admin, { path: `${CRDS_PATH}/${metadata.name}` })) as Crd);
  for (const crd of crds) {
    await until(`${crd.metadata.name} to be established`, () => established(crd), { timeoutMs: 60_000 });
  }
}

const isEstablished = ({ status }: Crd): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
