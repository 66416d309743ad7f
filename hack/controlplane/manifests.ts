import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Connection } from '../../controller/runtime/client/api.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
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
 * Applies objects one after the other by server-side apply, taking over every field that they name. A namespaced object
 * that names no namespace goes to `default`.
 */
export async function applyManifests(connection: Connection, objects: readonly KubeObject[]): Promise<void> {
  const lists = new Map<string, Promise<ResourceList>>();
  for (const object of objects) {
    const base = `/${object.apiVersion?.includes('/') ? 'apis' : 'api'}/${object.apiVersion}`;
    const known = lists.get(base) ?? (call(connection, { path: base }) as Promise<ResourceList>);
    lists.set(base, known);
    await call(connection, {
      method: 'PATCH',
      path: `${base}${pathOf(object, await known)}?fieldManager=drover-hack&force=true`,
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
  }
}

/** What discovery says about a version of a group (meta/v1 APIResourceList). */
interface ResourceList {
  resources: ReadonlyArray<{ name: string; kind: string; namespaced: boolean }>;
}

function pathOf({ kind, metadata }: KubeObject, { resources }: ResourceList): string {
  const resource = resources.find(({ kind: served, name }) => served === kind && !name.includes('/'));
  if (!resource) throw new Error(`the API server does not serve ${kind}, of which ${metadata.name} is one`);
  const place = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  return `${place}/${resource.name}/${metadata.name}`;
}
