import { type Api, isNotFound } from '../../controller/runtime/client/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import type { KubeObject, OwnerReference } from '../../controller/runtime/k8s/object.ts';
import type { Cache } from '../../controller/runtime/watch/cache.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import { droverGroup, machineGroup } from '../../schemas/kind.ts';
import { type KindResource, resources } from '../../schemas/kinds.ts';
import { put } from '../admission/fieldpath.ts';
import { type Asking, type Caches, createAsking } from '../admission/lookup.ts';
import type { Mutation } from '../admission/mutate.ts';
import type { AdmissionRequest } from '../admission/review.ts';

/** How the owner of a reference stands: `replaced` by another object of its name, `missing` with its name. */
export type OwnerState = 'there' | 'replaced' | 'missing' | 'unknown';

/** Finds out how an owner stands that the object of a request names. Never throws. */
export type FindOwner = (owner: OwnerReference, request: AdmissionRequest) => Promise<OwnerState>;

/** What finding out takes. */
export interface OwnersParts {
  caches: Caches;
  /** Without a limiter of its own. */
  api: Pick<Api, 'get'>;
  clock: Clock;
}

interface Known {
  resource: KindResource<KubeObject>;
  cache: Pick<Cache<KubeObject>, 'get'>;
}

/** A name that an object can have; the API server judges it later than the webhook does, and it goes into a path. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * Finds owners of our kinds by their UID: in the caches, and where these do not show it, for they may lag, by asking the API
 * server itself. Of other kinds, and where it does not answer, nothing is known.
 */
export function createFindOwner({ caches, api, clock }: OwnersParts): FindOwner {
  const known = knownIn(caches);
  const asking = createAsking(clock);
  return async (owner, request) => {
    const place = known.find(({ resource }) => isOf(resource, owner));
    if (!place || typeof owner.name !== 'string' || !NAME.test(owner.name)) return 'unknown';
    const cached = place.cache.get(`${request.namespace}/${owner.name}`);
    return cached && cached.metadata.uid === owner.uid ? 'there' : ask({ api, asking, place }, owner, request);
  };
}

const knownIn = (caches: Caches): Known[] => [
  { resource: resources.machineSets, cache: caches.sets },
  { resource: resources.machineDeployments, cache: caches.deployments },
  { resource: resources.machines, cache: caches.machines },
  { resource: resources.machineClasses, cache: caches.classes },
  { resource: resources.clusters, cache: caches.clusters },
];

const isOf = ({ group, version, kind }: Known['resource'], owner: OwnerReference): boolean =>
  owner.kind === kind && owner.apiVersion === `${group}/${version}`;

async function ask(
  { api, asking, place }: { api: OwnersParts['api']; asking: Asking; place: Known },
  { name, uid }: OwnerReference,
  { namespace, userInfo, from = '' }: AdmissionRequest,
): Promise<OwnerState> {
  const asker = { priority: 0, flow: [from, namespace, userInfo.username] };
  try {
    const found = await asking(asker, (signal) => api.get(place.resource, { namespace, name }, { signal }));
    return found.metadata.uid === uid ? 'there' : 'replaced';
  } catch (error) {
    return isNotFound(error) ? 'missing' : 'unknown';
  }
}

type Mutating = (request: AdmissionRequest) => Promise<Mutation>;

/** An object of ours has one owner; of so many at most it is found out how they stand, and all others stay. */
const MOST_OWNERS = 4;

/**
 * Leaves references to owners out that are gone from an object that is made from what was saved, or laid over by it once more:
 * `kubectl get -o yaml` saves the UIDs that owners had, and the garbage collector deletes what has none but such owners, and its
 * VM with it. Without them the new owners adopt it, and one that has done so stays its owner (hack/decisions/0040). Where nobody can
 * tell how an owner stands, the reference stays.
 */
export const withoutFormerOwners =
  (mutate: Mutating, findOwner: FindOwner): Mutating =>
  async (request) => {
    const { object } = request;
    const owners = object && isOurs(request) ? ownersOf(object) : [];
    const former = await formerOf(request, owners, findOwner);
    if (!object || former.size === 0) return mutate(request);
    const kept = [...owners.filter((owner) => !former.has(owner)), ...presentOf(request, owners, former)];
    const left = put(object, ['metadata', 'ownerReferences'], kept);
    const { patch, warnings } = await mutate(request);
    return { patch: [...left, ...patch], warnings: [sentenceOf(object, former), ...warnings] };
  };

const ownersOf = ({ metadata }: KubeObject): readonly OwnerReference[] => metadata.ownerReferences ?? [];

/** Nobody bounds how many owners an object names (hack/decisions/0028 T88). */
const uidsOf = (owners: readonly OwnerReference[]): ReadonlySet<string> => new Set(owners.map(({ uid }) => uid));

const isOurs = ({ operation, subResource, kind }: AdmissionRequest): boolean =>
  (operation === 'CREATE' || operation === 'UPDATE') &&
  subResource === '' &&
  [machineGroup, droverGroup].some((group) => group === kind.group);

/** Owners that the stored object has, of the names of former ones. */
function presentOf(
  { oldObject }: AdmissionRequest,
  owners: readonly OwnerReference[],
  former: ReadonlySet<OwnerReference>,
): OwnerReference[] {
  const named = uidsOf(owners);
  const isNamesake = (one: OwnerReference) =>
    [...former].some(({ kind, name }) => kind === one.kind && name === one.name) && !named.has(one.uid);
  return oldObject ? ownersOf(oldObject).filter(isNamesake) : [];
}

async function formerOf(
  request: AdmissionRequest,
  owners: readonly OwnerReference[],
  findOwner: FindOwner,
): Promise<Set<OwnerReference>> {
  const { oldObject } = request;
  const stored = uidsOf(oldObject ? ownersOf(oldObject) : []);
  const asked = owners.filter(({ uid }) => !stored.has(uid)).slice(0, MOST_OWNERS);
  const stand = await Promise.all(asked.map((owner) => findOwner(owner, request)));
  return new Set(asked.filter((_, at) => isFormer(stand[at], request)));
}

/**
 * What is made new under an owner that has just gone is the garbage collector's, as ever: nobody else would take it away. So
 * without a namesake of the owner it counts only for what has lived before, as what is stored has.
 */
const isFormer = (state: OwnerState | undefined, { object, oldObject }: AdmissionRequest): boolean =>
  state === 'replaced' || (state === 'missing' && Boolean(oldObject || (object && hasLived(object))));

interface Saved extends KubeObject {
  spec?: { providerID?: unknown };
  status?: { observedGeneration?: unknown; currentStatus?: { phase?: unknown } };
}

/** A Machine that names its VM or its Node, or an object whose status tells of it. */
function hasLived({ metadata, spec, status }: Saved): boolean {
  const signs = [
    spec?.providerID,
    metadata.labels?.[LABEL_NODE],
    status?.observedGeneration,
    status?.currentStatus?.phase,
  ];
  return signs.some(Boolean);
}

const sentenceOf = ({ kind }: KubeObject, owners: ReadonlySet<OwnerReference>): string => {
  const names = [...owners].map((owner) => `${owner.kind} ${owner.name} of UID ${owner.uid}`);
  return `left out metadata.ownerReferences to what is not there: ${names.join(', ')}; the garbage collector would delete this ${kind ?? 'object'} for them`;
};
