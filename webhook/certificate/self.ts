import { type Api, isAlreadyExists, isConflict, isNotFound } from '../../controller/runtime/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import { type Secret, secrets } from '../../controller/runtime/core.ts';
import type { Random } from '../../controller/runtime/random.ts';
import { publishBundle } from './bundle.ts';
import { bundleOf, dataOf, type Holding, readHolding, renewed, type Wanted } from './holding.ts';
import type { Source } from './source.ts';

/** At most this share of a certificate's life passes beyond two thirds before a replica renews it. */
const LATEST_SHARE = 0.05;
/** Steps from nothing to all renewed, and rounds lost to other replicas meanwhile. */
const MOST_ROUNDS = 10;

export interface SelfParts {
  api: Pick<Api, 'get' | 'create' | 'replace' | 'patch'>;
  clock: Clock;
  random: Random;
  namespace: string;
  /** Name of the Secret that all replicas share. */
  secret: string;
  /** DNS names and IP addresses of the certificate. */
  names: readonly string[];
  /** Webhook configurations whose caBundle is kept up to date. */
  configurations: readonly string[];
}

/**
 * Issues the certificate itself and keeps it, with its authority, in a Secret that all replicas share. The Secret is
 * written with its resourceVersion, so that of two replicas one wins and the other takes what the first made.
 */
export function selfSource({ clock, random, names, configurations, ...store }: SelfParts): Source {
  const lateShare = random.next() * LATEST_SHARE;
  return {
    async current(signal) {
      const wanted = () => ({ now: clock.now(), names, lateShare });
      const { authorities, leaf } = await upToDate({ ...store, signal }, wanted);
      const missing = await publishBundle(() => bundleOf(authorities), {
        api: store.api,
        names: configurations,
        signal,
      });
      const [authority] = authorities;
      return { pair: leaf, missing, ...(authority === undefined ? {} : { authority }) };
    },
  };
}

interface Store {
  api: SelfParts['api'];
  namespace: string;
  /** Name of the Secret. */
  secret: string;
  signal: AbortSignal;
}

async function upToDate(store: Store, wanted: () => Wanted): Promise<Holding> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const secret = await read(store);
    const holding = secret && readHolding(secret);
    const next = await renewed(holding, wanted());
    if (!next && holding) return holding;
    if (next) await write(store, secret, next);
  }
  throw new Error(
    `Secret ${store.namespace}/${store.secret} was changed by others again and again while its certificate was renewed`,
  );
}

async function read({ api, namespace, secret: name, signal }: Store): Promise<Secret | undefined> {
  try {
    return await api.get(secrets, { namespace, name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Losing against another replica is no failure: the next look shows what it wrote. */
async function write(
  { api, namespace, secret: name, signal }: Store,
  before: Secret | undefined,
  holding: Holding,
): Promise<void> {
  const data = dataOf(holding);
  const made: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    type: 'kubernetes.io/tls',
    data,
  };
  try {
    if (before) await api.replace(secrets, { ...before, data }, { signal });
    else await api.create(secrets, made, { signal });
  } catch (error) {
    if (!isConflict(error) && !isAlreadyExists(error)) throw error;
  }
}
