import { type Api, isNotFound } from '../../controller/runtime/client/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import type { KubeObject, OwnerReference } from '../../controller/runtime/k8s/object.ts';
import type { Cache } from '../../controller/runtime/watch/cache.ts';
import { type KindResource, resources } from '../../schemas/kinds.ts';
import { type Asking, createAsking } from '../admission/asking.ts';
import type { Caches } from '../admission/lookup.ts';
import type { AdmissionRequest } from '../admission/review.ts';

/** How the owner of a reference stands: `replaced` by another object of its name, `missing` with its name. */
export type OwnerStands = 'there' | 'replaced' | 'missing' | 'unknown';

/** Finds out how an owner stands that the object of a request names. Never throws. */
export type FindOwner = (owner: OwnerReference, request: AdmissionRequest) => Promise<OwnerStands>;

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
): Promise<OwnerStands> {
  const asker = { priority: 0, flow: [from, namespace, userInfo.username] };
  try {
    const found = await asking(asker, (signal) => api.get(place.resource, { namespace, name }, { signal }));
    return found.metadata.uid === uid ? 'there' : 'replaced';
  } catch (error) {
    return isNotFound(error) ? 'missing' : 'unknown';
  }
}
