import type { KubeObject, Resource } from '../k8s/object.ts';
import { type Place, pathOf, pathOfAll, type Query, queryOf } from './paths.ts';
import type { Call } from './transport.ts';

/** A change to an object, in one of the four forms that the API server knows. */
export type Patch =
  | { type: 'json'; body: Array<Record<string, unknown>> }
  | { type: 'merge'; body: unknown }
  | { type: 'strategic'; body: unknown }
  | { type: 'apply'; body: unknown; manager: string; force?: boolean };

/** What is to be done with a resource; a place without namespace means all of them. */
export interface Deed {
  verb: 'get' | 'list' | 'watch' | 'create' | 'replace' | 'patch' | 'delete';
  resource: Resource;
  place: Place;
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  /** A second time does no harm. */
  idempotent?: boolean;
}

const methods: Readonly<Record<Deed['verb'], string>> = {
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

/** The HTTP request that does a deed. */
export function callOf({ verb, resource, place, query = {}, body, headers, idempotent = true }: Deed): Call {
  const spansAll = place.namespace === undefined && (verb === 'list' || verb === 'watch');
  const named = { ...place, namespace: '{namespace}', ...(place.name !== undefined && { name: '{name}' }) };
  return {
    what: wording(verb, resource, place),
    method: methods[verb],
    path: (spansAll ? pathOfAll(resource) : pathOf(resource, place)) + queryOf(query),
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

/** The part of a deed that a patch decides. The body of an apply is JSON, which is YAML as well. */
export function patchDeed(patch: Patch): Pick<Deed, 'body' | 'query' | 'headers' | 'idempotent'> {
  return {
    body: patch.body,
    headers: { 'content-type': patchTypes[patch.type] },
    // The operations of a JSON patch may add to a list.
    idempotent: patch.type !== 'json',
    ...(patch.type === 'apply' && { query: { fieldManager: patch.manager, force: patch.force } }),
  };
}

/** Where a new object goes; a subresource, such as `eviction`, belongs to the object of that name. */
export function placeOfNew({ metadata }: KubeObject, subresource: string | undefined): Place {
  return { namespace: metadata.namespace, subresource, ...(subresource && { name: metadata.name }) };
}

/** For people: `patch machines/status farm/m1`, `list machines in all namespaces`. */
function wording(verb: string, { plural, namespaced }: Resource, { namespace, name, subresource }: Place): string {
  const what = `${verb} ${plural}${subresource ? `/${subresource}` : ''}`;
  if (!namespaced) return name === undefined ? what : `${what} ${name}`;
  const where = namespace ?? 'all namespaces';
  return name === undefined ? `${what} in ${where}` : `${what} ${where}/${name}`;
}
