import { type Api, isConflict, isNotFound } from '../../controller/runtime/client/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import { type Secret, secrets } from '../../controller/runtime/k8s/core.ts';
import type { Random } from '../../controller/runtime/random.ts';
import {
  bundleOf,
  type CertificateSet,
  type DesiredCertificate,
  dataOf,
  readCertificates,
  renewed,
} from './authority.ts';
import { publishBundle } from './cabundle.ts';
import type { Source } from './source.ts';

/** At most this share of a certificate's life passes beyond two thirds before a replica renews it. */
const LATEST_SHARE = 0.05;
/** Steps from nothing to all renewed, and rounds lost to other replicas meanwhile. */
const MOST_ROUNDS = 10;

export interface SelfParts {
  api: Pick<Api, 'get' | 'replace' | 'patch'>;
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
 * Issues the certificate itself and keeps it, with its authority, in a Secret that all replicas share, and that the
 * installation has made, empty: the right to make Secrets could not be bound to its name. It is written with its
 * resourceVersion, so that of two replicas one wins and the other takes what the first made.
 */
export function selfSource({ clock, random, names, configurations, ...store }: SelfParts): Source {
  const lateShare = random.next() * LATEST_SHARE;
  return {
    async current(signal) {
      const desired = () => ({ now: clock.now(), names, lateShare });
      const { authorities, leaf } = await upToDate({ ...store, signal }, desired);
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

async function upToDate(store: Store, desired: () => DesiredCertificate): Promise<CertificateSet> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const secret = await read(store);
    const certificates = readCertificates(secret);
    const next = await renewed(certificates, desired());
    if (!next && certificates) return certificates;
    if (next) await write(store, secret, next);
  }
  throw new Error(
    `Secret ${store.namespace}/${store.secret} was changed by others again and again while its certificate was renewed`,
  );
}

async function read({ api, namespace, secret: name, signal }: Store): Promise<Secret> {
  try {
    return await api.get(secrets, { namespace, name }, { signal });
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    const message = `Secret ${namespace}/${name}, for the certificate, is not there: make it, empty, as helm upgrade does`;
    throw new Error(message, { cause });
  }
}

/** A conflict with another replica is no failure: the next read shows what it wrote. */
async function write({ api, signal }: Store, before: Secret, certificates: CertificateSet): Promise<void> {
  try {
    await api.replace(secrets, { ...before, data: dataOf(certificates) }, { signal });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}
