import type { Resource } from '../k8s/object.ts';

/** What of a resource is meant: one object or all, of one namespace or of all. */
export interface Place {
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
export function pathOf(resource: Resource, { namespace, name, subresource }: Place): string {
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
