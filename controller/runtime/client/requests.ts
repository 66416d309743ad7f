import type { KubeObject, Resource } from '../k8s/object.ts';
import type { Call } from './transport.ts';

/** A change to an object, in one of the four forms that the API server knows. */
export type Patch =
  | { type: 'json'; body: Array<Record<string, unknown>> }
  | { type: 'merge'; body: unknown }
  | { type: 'strategic'; body: unknown }
  | { type: 'apply'; body: unknown; manager: string; force?: boolean };

/** A request about a resource; a path without namespace means all of them. */
export interface ApiRequest {
  verb: 'get' | 'list' | 'watch' | 'create' | 'replace' | 'patch' | 'delete';
  resource: Resource;
  path: ResourcePath;
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  /** A second time does no harm. */
  idempotent?: boolean;
}

const methods: Readonly<Record<ApiRequest['verb'], string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  replace: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

const patchTypes: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The HTTP call of a request. */
export function callOf({ verb, resource, path, query = {}, body, headers, idempotent = true }: ApiRequest): Call {
  const spansAll = path.namespace === undefined && (verb === 'list' || verb === 'watch');
  const named = { ...path, namespace: '{namespace}', ...(path.name !== undefined && { name: '{name}' }) };
  return {
    what: wording(verb, resource, path),
    method: methods[verb],
    path: (spansAll ? pathOfAll(resource) : pathOf(resource, path)) + queryOf(query),
    template: spansAll ? pathOfAll(resource) : pathOf(resource, named),
    idempotent,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    }),
  };
}

/** A request for any other path. */
export function callOfPath(method: string, path: string, body: unknown): Call {
  return {
    what: `${method} ${path}`,
    method,
    path,
    template: path.replace(/\?.*/, ''),
    idempotent: method === 'GET',
    headers: { accept: 'application/json, */*', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** The part of a request that a patch decides. The body of an apply is JSON, which is YAML as well. */
export function patchDeed(patch: Patch): Pick<ApiRequest, 'body' | 'query' | 'headers' | 'idempotent'> {
  return {
    body: patch.body,
    headers: { 'content-type': patchTypes[patch.type] },
    // The operations of a JSON patch may add to a list.
    idempotent: patch.type !== 'json',
    ...(patch.type === 'apply' && { query: { fieldManager: patch.manager, force: patch.force } }),
  };
}

/** Where a new object goes; a subresource, such as `eviction`, belongs to the object of that name. */
export function pathOfNew({ metadata }: KubeObject, subresource: string | undefined): ResourcePath {
  return { namespace: metadata.namespace, subresource, ...(subresource && { name: metadata.name }) };
}

/** For people: `patch machines/status farm/m1`, `list machines in all namespaces`. */
function wording(
  verb: string,
  { plural, namespaced }: Resource,
  { namespace, name, subresource }: ResourcePath,
): string {
  const what = `${verb} ${plural}${subresource ? `/${subresource}` : ''}`;
  if (!namespaced) return name === undefined ? what : `${what} ${name}`;
  const where = namespace ?? 'all namespaces';
  return name === undefined ? `${what} in ${where}` : `${what} ${where}/${name}`;
}

/** What of a resource is meant: one object or all, of one namespace or of all. */
export interface ResourcePath {
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** Query parameters; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Path of an object or, without a name, of a collection (Kubernetes API concepts, "Resource URIs").
 * Throws a TypeError when a namespaced resource comes without a namespace, and when a name could lead to another path:
 * a delete of the name "" would empty the collection.
 */
export function pathOf(resource: Resource, { namespace, name, subresource }: ResourcePath): string {
  if (resource.namespaced && namespace === undefined) {
    throw new TypeError(`${resource.plural} live in namespaces: give the object's namespace`);
  }
  const scope = resource.namespaced ? `/namespaces/${segment('namespace', namespace ?? '')}` : '';
  const object = name === undefined ? '' : `/${segment('name', name)}`;
  return `${root(resource)}${scope}/${resource.plural}${object}${subresource ? `/${subresource}` : ''}`;
}

/** Path of the collection of all namespaces. */
export const pathOfAll = (resource: Resource): string => `${root(resource)}/${resource.plural}`;

/** `?a=1&b=2`, or nothing. */
export function queryOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

const root = ({ group, version }: Resource): string => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`);

/** Names that apimachinery's IsValidPathSegmentName lets through. */
function segment(what: string, text: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new TypeError(`"${text}" is not a ${what} that a path can hold`);
  }
  return encodeURIComponent(text);
}
