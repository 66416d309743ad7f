import { apiVersion } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { missesTemplate } from '../../schemas/rules/selector.ts';
import {
  isEmpty,
  isTooLarge,
  type PartsLeft,
  picking,
  type Selector,
  selectorFindings,
} from '../../schemas/selector.ts';
import { fail, type Outcome, pass, type selectingReasons } from '../flow/flow.ts';
import type { Expectations, Writable } from '../framework/writer.ts';
import type { Patch } from '../runtime/client/api.ts';
import { controllerOf, type KubeObject, type OwnerReference } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';

/** The owner reference that a controlling set or deployment puts on its children (hack/spec/mcm.md 4.3). */
export const ownedBy = ({ metadata }: KubeObject, kind: string): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/**
 * Index `owner` of the caches: UID and name of the controlling owner, or `nobodysIn` for objects without one. Anybody who may write in a
 * namespace may write any owner reference, so each value begins with the namespace: a reference never reaches into another one.
 */
export function byOwner(object: KubeObject): readonly string[] {
  const { namespace } = object.metadata;
  const owner = controllerOf(object);
  return owner ? [ownedIn(namespace, owner.uid), namedIn(namespace, owner)] : [nobodysIn(namespace)];
}

/** The value of the index `owner` for objects of a namespace that nobody controls. */
export const nobodysIn = (namespace: string | undefined): string => `${namespace ?? ''}/none`;

/** The value of the index `owner` for objects of a namespace whose controlling owner has this UID. */
export const ownedIn = (namespace: string | undefined, uid: string | undefined): string =>
  `${namespace ?? ''}/uid/${uid ?? ''}`;

/** The value of the index `owner` for objects of a namespace whose controlling owner has this kind and name, whatever its UID. */
const namedIn = (namespace: string | undefined, { kind, name }: Pick<OwnerReference, 'kind' | 'name'>): string =>
  `${namespace ?? ''}/named/${kind}/${name}`;

/**
 * The children that name the owner as their controller, all of its own namespace.
 * @param children with the index `owner`
 */
export const childrenIn = <T extends KubeObject>(
  children: Pick<Cache<T>, 'by'>,
  { metadata: { namespace, uid } }: KubeObject,
): T[] => children.by('owner', ownedIn(namespace, uid));

/**
 * The children of the same owner, itself among them; none for one that nobody controls.
 * @param children with the index `owner`
 */
export function siblingsIn<T extends KubeObject>(children: Pick<Cache<T>, 'by'>, child: KubeObject): T[] {
  const owner = controllerOf(child);
  return owner ? children.by('owner', ownedIn(child.metadata.namespace, owner.uid)) : [];
}

/**
 * The children that an owner of this kind may adopt: those without a controlling owner, and those of an earlier object of its name. A
 * restored object has another UID than the references to it, which do not match it any more (hack/decisions/0040).
 * @param children with the index `owner`
 */
export const adoptable = <T extends KubeObject>(children: Cache<T>, owner: KubeObject, kind: string): T[] => [
  ...children.by('owner', nobodysIn(owner.metadata.namespace)),
  ...leftTo(children, owner, kind),
];

/**
 * The children of namesakes that were there before the owner.
 * @param children with the index `owner`
 */
export function leftTo<T extends KubeObject>(children: Cache<T>, { metadata }: KubeObject, kind: string): T[] {
  const { namespace, name } = metadata;
  const named = children.by('owner', namedIn(namespace, { kind, name }));
  return named.filter((child) => child.metadata.ownerReferences?.some((one) => isFormer(one, metadata, kind)));
}

/**
 * Whether a reference is to a namesake of the owner with another UID. As soon as the API server itself says that the owner is
 * there (`adoptionBar`), that one is gone for ever: two of one name there are not.
 */
const isFormer = (reference: OwnerReference, { name, uid }: KubeObject['metadata'], kind: string): boolean =>
  reference.kind === kind && reference.name === name && reference.uid !== uid && reference.apiVersion === apiVersion;

/** Index `namespace` of the caches. */
export const byNamespace = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ''];

/** Children as an owner sees them: its own, its own that its selector no longer matches, and those up for adoption. */
export interface SortedChildren<T> {
  matching: T[];
  strays: T[];
  orphans: T[];
}

/** An owner that says by labels whom it wants. */
type SelectingObject = KubeObject & { spec?: { selector?: Selector | undefined } | undefined };

/**
 * Sorts children of the owner's namespace by owner reference and selector (hack/spec/mcm.md 4.3); what is being deleted is never adopted.
 * With a selector that is too large nothing is released and nothing adopted (hack/decisions/0045).
 * @param work how many parts of selectors may be judged; below 0 the answer is not whole
 */
export function sortChildren<T extends KubeObject>(
  { metadata: { namespace }, spec: { selector } = {} }: SelectingObject,
  found: { owned: readonly T[]; unowned: readonly T[] },
  work?: PartsLeft,
): SortedChildren<T> {
  const isNear = ({ metadata }: T) => metadata.namespace === namespace;
  const owned = found.owned.filter(isNear);
  if (isTooLarge(selector)) return { matching: owned, strays: [], orphans: [] };
  const picks = picking(selector, work);
  const fits = ({ metadata }: T) => picks(metadata.labels);
  const mayCome = (child: T) => isNear(child) && !child.metadata.deletionTimestamp && fits(child);
  return {
    matching: owned.filter(fits),
    strays: owned.filter((child) => !fits(child)),
    orphans: isEmpty(selector) ? [] : found.unowned.filter(mayCome),
  };
}

/** Makes the owner the child's controller, in the place of namesakes before it; fails when the child is another one than was seen (uid, resourceVersion). */
export function adoptionPatch(owner: KubeObject, kind: string, child: KubeObject): Patch {
  const { uid, resourceVersion, ownerReferences = [] } = child.metadata;
  const others = ownerReferences.filter((reference) => !isFormer(reference, owner.metadata, kind));
  const metadata = { uid, resourceVersion, ownerReferences: [...others, ownedBy(owner, kind)] };
  return { type: 'merge', body: { metadata } };
}

/** Takes the owner's reference off the child, and no other (mends hack/spec/mcm.md 4.3, whose release has no effect). */
export function releasePatch(owner: KubeObject, child: KubeObject): Patch {
  const { uid, ownerReferences = [] } = child.metadata;
  const at = ownerReferences.findIndex((reference) => reference.uid === owner.metadata.uid);
  return {
    type: 'json',
    body: [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'test', path: `/metadata/ownerReferences/${at}/uid`, value: owner.metadata.uid },
      { op: 'remove', path: `/metadata/ownerReferences/${at}` },
    ],
  };
}

/**
 * Asks the API server itself: an owner that was replaced by a new object of its name, or is being deleted, adopts nothing (hack/spec/mcm.md
 * 4.3). Then the answer is what to wait for, because the cache does not show it yet; undefined for an owner that may adopt.
 */
export async function adoptionBar<T extends KubeObject>(
  { api, resource, cache }: Writable<T>,
  owner: T,
): Promise<Expectations | undefined> {
  const live = await api.get(resource, owner.metadata);
  const mayAdopt = live.metadata.uid === owner.metadata.uid && !live.metadata.deletionTimestamp;
  return mayAdopt ? undefined : [cache.whenSeen(live)];
}

/**
 * Who deletes the owner wants its children to stay (`kubectl delete --cascade=orphan`): the garbage collector takes the owner's
 * reference off each of them before it takes this finalizer off the owner (Kubernetes, FinalizerOrphanDependents).
 */
export const orphansChildren = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes('orphan') ?? false);

/** Asks the API server itself for an owner's children: a cache that lags may not show one that would be left behind. */
export async function childrenOf<T extends KubeObject>(
  { api, resource }: Writable<T>,
  { metadata: { namespace, uid } }: KubeObject,
  selector: Selector | undefined,
): Promise<T[]> {
  const labelSelector = selectorText(selector);
  const { items } = await api.list(resource, {
    ...(namespace !== undefined && { namespace }),
    ...(labelSelector && { labelSelector }),
  });
  return items.filter((child) => controllerOf(child)?.uid === uid);
}

/**
 * The sets of the Machine's MachineDeployment, or its own set alone, as values of the index `owner`; undefined for a Machine that
 * no set controls.
 */
export function herdOf(
  { sets }: { sets: Cache<MachineSet> },
  machine: Machine,
): { id: string; sets: readonly string[] } | undefined {
  const own = controllerOf(machine);
  if (!own) return undefined;
  const set = sets.get(`${machine.metadata.namespace}/${own.name}`);
  const deployment = set && controllerOf(set);
  const { namespace } = machine.metadata;
  const id = ownedIn(namespace, (deployment ?? own).uid);
  return { id, sets: deployment ? sets.by('owner', id).map(({ metadata }) => ownedIn(namespace, metadata.uid)) : [id] };
}

/** The parts of a set's or deployment's spec that say which children are its own. */
interface Selecting {
  selector?: Selector | undefined;
  template?: { metadata?: { labels?: Record<string, string> | undefined } | undefined } | undefined;
}

/** What is wrong with the selector, in words; undefined when it can be worked by. */
export function selectingFault(spec: Selecting): string | undefined {
  const judged = selectorValid(spec);
  return judged.kind === 'fail' ? judged.message : undefined;
}

/** A selector that picks everything, or nothing that the template makes, would make machines without end. */
export function selectorValid({ selector, template }: Selecting): Outcome<never, keyof typeof selectingReasons> {
  const [finding] = selectorFindings(selector);
  if (isEmpty(selector)) return fail('SelectorEmpty', 'spec.selector is empty: set it to labels of the template');
  if (finding) return fail('SelectorInvalid', `spec.selector.${finding.at} ${finding.message}`);
  if (!missesTemplate(selector, template?.metadata?.labels)) return pass;
  return fail(
    'SelectorMismatch',
    'spec.selector does not match the labels of spec.template: no machine would ever count',
  );
}

/**
 * A selector in the text form that `/scale` hands to a HorizontalPodAutoscaler (apimachinery labels.Selector); empty for one
 * that is too large, by which nothing is done.
 */
export function selectorText(selector: Selector | null | undefined): string {
  if (isTooLarge(selector)) return '';
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const requirements = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${[...(values ?? [])].sort().join(',')})`;
  });
  return [...labels.sort(), ...requirements.sort()].join(',');
}
