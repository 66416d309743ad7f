import { type Check, count, fields, flag, listOf, text, texts, textWithin } from './shape.ts';

/** The parts of `metadata` that machinery reads (Kubernetes API conventions, "Metadata"). */
export interface Meta {
  name: string;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  finalizers?: string[] | undefined;
  ownerReferences?: OwnerReference[] | undefined;
}

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}

/** Any Kubernetes object. */
export interface KubeObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: Meta;
}

/** Where the API server serves a kind. `T` is the object's type; it exists for the compiler only. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
  /** What is read of its objects beside their metadata; absent for kinds that the control cluster checks by a schema. */
  shape?: Check;
  /** Never set: carries the type. */
  readonly type?: T;
}

/** Names one object of a resource; `namespace` is absent for cluster-scoped kinds. */
export interface Ref {
  namespace?: string | undefined;
  name: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key of caches and queues. */
export const keyOf = ({ metadata }: KubeObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;

/** The inverse of {@link keyOf}. */
export function refOf(key: string): Ref {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The object carries the finalizer. */
export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false;

/** The owner that controls the object, if any. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find((owner) => owner.controller === true);

/** No name of an object is longer (apimachinery DNS1123SubdomainMaxLength). */
export const MOST_NAME = 253;
/** UIDs and versions are far shorter. */
const MOST_ID = 128;

const owner = fields({ apiVersion: text, kind: text, name: text, uid: text, controller: flag });

/** Names, UIDs and versions go into keys, messages and notes, each of which is another text (hack/decisions/0028 T73). */
const meta = fields({
  name: textWithin(MOST_NAME),
  namespace: textWithin(MOST_NAME),
  uid: textWithin(MOST_ID),
  resourceVersion: textWithin(MOST_ID),
  generation: count,
  creationTimestamp: text,
  deletionTimestamp: text,
  deletionGracePeriodSeconds: count,
  labels: texts,
  annotations: texts,
  finalizers: listOf(text),
  ownerReferences: listOf(owner),
});

const withMeta = fields({ apiVersion: text, kind: text, metadata: meta });

/** The field of an object that no API server has the like of, as a path; undefined for an object that is as it is to be. */
export const misfitOf = (object: unknown, { shape }: Pick<Resource, 'shape'>): string | undefined =>
  object === undefined || object === null ? '' : (withMeta(object) ?? shape?.(object));

/** The object without its managedFields: they are half of its bytes, and nobody here reads them. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}

/** Longer ones no API server has: etcd's are of 64 bits. */
const MOST_VERSION = 128;

/** So much of an object's key is named in an error. */
const MOST_NAMED = 512;

/** Whether it is a resourceVersion that can be compared: a decimal integer (KEP-5504), of 128 digits at the most. */
const isVersion = (text: string): boolean => text.length <= MOST_VERSION && /^(0|[1-9][0-9]*)$/.test(text);

/** The version of an object. Throws a TypeError for one that has none which could be compared. */
export function versionOf(object: KubeObject): string {
  const { resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && isVersion(resourceVersion)) return resourceVersion;
  throw new TypeError(`${keyOf(object).slice(0, MOST_NAMED)} has no resourceVersion that could be waited for`);
}

/**
 * Order of two resourceVersions of one resource: below 0 when `a` is the older one, 0 when they are the same. Throws a RangeError for
 * what is none.
 */
export function compareVersions(a: string, b: string): number {
  for (const version of [a, b]) {
    if (!isVersion(version))
      throw new RangeError(`"${version.slice(0, MOST_VERSION)}" is not a resourceVersion: not a decimal integer`);
  }
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** RFC 3339 with seconds, as Kubernetes writes `metav1.Time`. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** RFC 3339 with microseconds, as Kubernetes writes `metav1.MicroTime`. */
export const microTimestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`;
