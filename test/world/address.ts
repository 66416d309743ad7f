/** What a path of an API server names (API concepts, "Resource URIs"). */
export interface Address {
  /** `group/plural`, for example `machine.sapcloud.io/machines`; `/nodes` in the core group. */
  resource: string;
  apiVersion: string;
  plural: string;
  /** Absent for what is cluster-scoped, and for a list of all namespaces. */
  namespace?: string;
  name?: string;
  subresource?: string;
}

/** Segments that follow a namespace's name and are no resources. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

/** Reads a path; undefined for one that names no object and no collection. */
export function addressOf(path: string): Address | undefined {
  const [root, ...rest] = path.split('/').filter(Boolean).map(decodeURIComponent);
  if (root === 'api') return placed('', rest.slice(0, 1).join('/'), rest.slice(1));
  if (root === 'apis') return placed(rest[0] ?? '', rest.slice(0, 2).join('/'), rest.slice(2));
  return undefined;
}

function placed(group: string, apiVersion: string, segments: string[]): Address | undefined {
  const [first, namespace, plural = ''] = segments;
  const isScope = first === 'namespaces' && plural !== '' && !OF_NAMESPACES.has(plural);
  const own = isScope ? segments.slice(2) : segments;
  const [collection, name, subresource] = own;
  if (collection === undefined) return undefined;
  return {
    resource: `${group}/${collection}`,
    apiVersion,
    plural: collection,
    ...(isScope && namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

/** The key of an object in its collection: that of caches and queues (controller/runtime/k8s/object.ts). */
export const keyAt = ({ namespace, name = '' }: Pick<Address, 'namespace' | 'name'>): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** For messages: `machines.machine.sapcloud.io "m"`. */
export function wordingOf({ resource, plural, name }: Address): string {
  const group = resource.slice(0, resource.indexOf('/'));
  return `${plural}${group && `.${group}`} "${name}"`;
}
