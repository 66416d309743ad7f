import { type Api, isNotFound, type Patch } from '../runtime/client/api.ts';
import { controllerOf, type KubeObject, keyOf, type Resource } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';

/** A resource that a controller writes to and reads back from its cache. */
export interface Writable<T extends KubeObject> {
  api: Api;
  resource: Resource<T>;
  cache: Cache<T>;
}

/** Promises that resolve once the caches show what was written: the key is not reconciled again before. */
export type Expectations = ReadonlyArray<Promise<void>>;

/** Sends a patch; an object that is gone by now is no error. */
export async function patchObject<T extends KubeObject>(
  on: Writable<T>,
  object: T,
  { subresource, ...patch }: Patch & { subresource?: string },
): Promise<Expectations> {
  const options = subresource ? { subresource } : {};
  const written = await unlessGone(on.api.patch(on.resource, object.metadata, patch, options));
  return [written ? on.cache.whenSeen(written) : whenGone(on, object)];
}

/** Merges a change into the object, only if it still is the one that was seen (uid). */
export function mergeInto<T extends KubeObject>(on: Writable<T>, object: T, change: Change): Promise<Expectations> {
  const body = { ...change, metadata: { ...change.metadata, uid: object.metadata.uid } };
  return patchObject(on, object, { type: 'merge', body });
}

/** The same, only if nobody has changed anything of it since: what is taken off, or written whole, may be another's newest word. */
export function mergeIntoSeen<T extends KubeObject>(on: Writable<T>, object: T, change: Change): Promise<Expectations> {
  const { resourceVersion } = object.metadata;
  return mergeInto(on, object, { ...change, metadata: { ...change.metadata, resourceVersion } });
}

/** A change in the form of a merge patch (RFC 7396). */
export interface Change {
  metadata?: object;
  spec?: object;
}

/** Merges a change into the object's status, only if it still is of the version that was seen: a status heeds no uid. */
export async function mergeStatus<T extends KubeObject>(
  on: Writable<T>,
  object: T,
  status: object,
): Promise<Expectations> {
  const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, status };
  const call = on.api.patch(on.resource, object.metadata, { type: 'merge', body }, { subresource: 'status' });
  const written = await unlessGone(call);
  return [written ? on.cache.whenSeen(written) : whenGone(on, object)];
}

/** Puts a finalizer on; the version makes sure that nobody else's entry is lost. */
export function addFinalizer<T extends KubeObject>(
  on: Writable<T>,
  object: T,
  finalizer: string,
): Promise<Expectations> {
  const { resourceVersion, finalizers = [] } = object.metadata;
  return mergeInto(on, object, { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } });
}

/** Takes a finalizer off; an object that is being deleted goes with its last one. */
export async function removeFinalizer<T extends KubeObject>(
  on: Writable<T>,
  object: T,
  finalizer: string,
): Promise<Expectations> {
  const { resourceVersion, deletionTimestamp } = object.metadata;
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  const expectations = await mergeInto(on, object, { metadata: { resourceVersion, finalizers } });
  return deletionTimestamp && finalizers.length === 0 ? [whenGone(on, object)] : expectations;
}

/** Asks for the deletion of just this object (uid); one that is gone by now is no error. */
export async function deleteObject<T extends KubeObject>(on: Writable<T>, object: T): Promise<Expectations> {
  const { uid } = object.metadata;
  const lingering = await unlessGone(on.api.delete(on.resource, object.metadata, uid === undefined ? {} : { uid }));
  return [lingering ? on.cache.whenSeen(lingering) : whenGone(on, object)];
}

const whenGone = <T extends KubeObject>({ cache }: Writable<T>, object: T): Promise<void> =>
  cache.whenGone(keyOf(object), object.metadata.uid ?? '');

/** The call's answer; undefined when the object that it is about is not there. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Asks for the deletion of a child if the API server itself says that it is still the owner's. Of an owner that is deleted a
 * cache that lags shows children which the garbage collector has just let go, to stay.
 */
export async function deleteOwned<T extends KubeObject>(
  on: Writable<T>,
  owner: KubeObject,
  child: T,
): Promise<Expectations> {
  const live = await unlessGone(on.api.get(on.resource, child.metadata));
  if (live && controllerOf(live)?.uid !== owner.metadata.uid) return [on.cache.whenSeen(live)];
  return deleteObject(on, child);
}

/** Deletes a child that the cache does not show yet; the cache is given time to show it. */
export async function deleteUnseen<T extends KubeObject>(on: Writable<T>, child: T): Promise<Expectations> {
  if (!child.metadata.deletionTimestamp) await deleteObject(on, child);
  return [on.cache.whenSeen(child)];
}

/** A write that an API server answered with yes, and whose content is not there: its admission, or somebody else, took that back. */
export class NotKept extends Error {
  constructor(what: string) {
    super(`accepted, but not kept: ${what}`);
    this.name = 'NotKept';
  }
}
