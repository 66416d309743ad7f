import type { Clock } from '../../controller/runtime/clock.ts';
import { type KubeObject, type Meta, timestamp } from '../../controller/runtime/k8s/object.ts';
import { type Random, randomText } from '../../controller/runtime/random.ts';
import { type Address, keyAt, wordingOf } from './address.ts';
import { badRequest, conflict, invalid, notFound, Refusal } from './refusal.ts';
import type { Store } from './store.ts';
import { type Traits, traitsOf } from './traits.ts';

/** What writes need. */
export interface WritingParts {
  store: Store;
  clock: Clock;
  /** Makes UIDs and the ends of generated names. */
  random: Random;
}

/** Under which conditions an object may be deleted (metav1 Preconditions). */
export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

type Body = KubeObject & { status?: unknown };

/** The letters of generated names (apimachinery rand). */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** The rules by which an API server creates, changes and deletes objects. Each throws a Refusal. */
export class Writing {
  readonly #parts: WritingParts;

  constructor(parts: WritingParts) {
    this.#parts = parts;
  }

  /** Makes a new object; with `dryRun` only answers it. */
  create(address: Address, body: KubeObject, dryRun = false): KubeObject {
    const { store } = this.#parts;
    const traits = traitsOf(address.resource);
    const object = this.#born(address, body, traits);
    const place = { ...address, name: object.metadata.name };
    const isScoped = address.namespace !== undefined;
    if (isScoped && !store.get('/namespaces', address.namespace ?? ''))
      throw notFound(`namespaces "${address.namespace}"`);
    if (store.get(address.resource, keyAt(place)))
      throw new Refusal(409, 'AlreadyExists', `${wordingOf(place)} already exists`);
    return dryRun ? object : store.put(address.resource, keyAt(place), object);
  }

  /** Puts a new state of an object, or of its status, in the place of the old; nothing is written when nothing changes. */
  update(address: Address, body: KubeObject, dryRun = false): KubeObject {
    const { store } = this.#parts;
    const old = this.existing(address);
    refuseOther(address, old, body.metadata);
    const next = settled(address, old, body);
    if (Bun.deepEquals(next, old) || dryRun) return dryRun ? next : old;
    const { deletionTimestamp, finalizers = [] } = next.metadata;
    if (deletionTimestamp && finalizers.length === 0) return store.drop(address.resource, keyAt(address), next);
    return store.put(address.resource, keyAt(address), next);
  }

  /** Deletes an object, or marks it while it has finalizers: then the object is the answer. */
  delete(address: Address, { uid, resourceVersion }: Preconditions = {}): KubeObject | undefined {
    const { store, clock } = this.#parts;
    const old = this.existing(address);
    const { metadata } = old;
    if (uid !== undefined && uid !== metadata.uid)
      throw conflict(
        wordingOf(address),
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
      );
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
      throw conflict(wordingOf(address), `Precondition failed: ResourceVersion in precondition: ${resourceVersion}`);
    if ((metadata.finalizers ?? []).length === 0) {
      store.drop(address.resource, keyAt(address), old);
      return undefined;
    }
    if (metadata.deletionTimestamp) return old;
    const marked = { ...metadata, deletionTimestamp: timestamp(clock.now()), deletionGracePeriodSeconds: 0 };
    if (metadata.generation !== undefined) marked.generation = metadata.generation + 1;
    return store.put(address.resource, keyAt(address), { ...old, metadata: marked });
  }

  /** The object at a place. */
  existing(address: Address): KubeObject {
    const found = this.#parts.store.get(address.resource, keyAt(address));
    if (!found) throw notFound(wordingOf(address));
    return found;
  }

  #born({ apiVersion, namespace, plural }: Address, body: Body, traits: Traits): KubeObject {
    const { clock, random } = this.#parts;
    const { metadata = { name: '' } } = body;
    if (!traits.kind && !body.kind) throw badRequest("Object 'Kind' is missing");
    if (metadata.namespace !== undefined && metadata.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    const name = metadata.name || (metadata.generateName && metadata.generateName + randomText(random, 5, LETTERS));
    if (!name) throw invalid(`${plural} ""`, 'metadata.name: Required value: name or generateName is required');
    const { deletionTimestamp: _, resourceVersion: __, ...given } = metadata;
    const { status, ...wish } = body;
    return {
      apiVersion,
      kind: traits.kind,
      ...wish,
      metadata: {
        ...given,
        name,
        ...(namespace !== undefined && { namespace }),
        uid: this.#uid(),
        creationTimestamp: timestamp(clock.now()),
        ...(traits.generation && { generation: 1 }),
      },
      ...(status !== undefined && (!traits.status || traits.bornWithStatus) && { status }),
    } as KubeObject;
  }

  #uid(): string {
    const hex = (length: number) => randomText(this.#parts.random, length, '0123456789abcdef');
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  }
}

/** The version of the body, where it names one, is that of the object, and so is the UID; a status has none of its own. */
function refuseOther(address: Address, { metadata: old }: KubeObject, { uid, resourceVersion }: Meta): void {
  if (resourceVersion !== undefined && resourceVersion !== old.resourceVersion)
    throw conflict(
      wordingOf(address),
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  if (uid !== undefined && uid !== old.uid && address.subresource !== 'status')
    throw invalid(wordingOf(address), `metadata.uid: Invalid value: "${uid}": field is immutable`);
}

/** The state that a write leads to: the status is written through its subresource, everything else beside it. */
function settled(address: Address, old: Body, body: Body): KubeObject {
  const traits = traitsOf(address.resource);
  if (address.subresource === 'status') {
    const { labels, annotations } = body.metadata;
    const metadata = traits.statusWithMetadata ? { ...old.metadata, labels, annotations } : old.metadata;
    return tidy({ ...old, metadata, status: body.status });
  }
  const status = traits.status ? old.status : body.status;
  const next = tidy({ ...body, metadata: kept(old.metadata, body.metadata), status });
  refuseNewFinalizers(address, old.metadata, next.metadata);
  if (traits.generation && isOtherWish(old, next)) next.metadata.generation = (old.metadata.generation ?? 0) + 1;
  return next;
}

/** The metadata of a write: some of it is the server's. */
function kept(old: Meta, { deletionTimestamp: _, ...given }: Meta): Meta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, generation, deletionTimestamp } = old;
  const grace = 'deletionGracePeriodSeconds' in old ? { deletionGracePeriodSeconds: 0 } : {};
  return {
    ...given,
    name,
    namespace,
    uid,
    resourceVersion,
    creationTimestamp,
    generation,
    deletionTimestamp,
    ...grace,
  };
}

function refuseNewFinalizers(address: Address, old: Meta, next: Meta): void {
  if (!old.deletionTimestamp) return;
  const added = (next.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer));
  if (added.length > 0)
    throw invalid(
      wordingOf(address),
      `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${added}`,
    );
}

function isOtherWish(old: Body, next: Body): boolean {
  const { metadata: _, status: __, ...before } = old;
  const { metadata: ___, status: ____, ...after } = next;
  return !Bun.deepEquals(before, after);
}

/** Without keys that hold nothing, and without lists and maps of metadata that are empty. */
function tidy(object: Body): Body {
  const metadata = Object.fromEntries(Object.entries(object.metadata).filter(([, value]) => !isNothing(value)));
  return defined({ ...object, metadata: metadata as unknown as Meta });
}

const defined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;

const isNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
