import { join } from 'node:path';
import type { Api } from '../../controller/runtime/client/api.ts';
import type { Clock } from '../../controller/runtime/clock.ts';
import { publishBundle } from './cabundle.ts';
import { readPair, readPem } from './files.ts';
import { certificatesIn, factsOf, type Pair } from './keypair.ts';
import type { Source } from './source.ts';

export interface CertManagerParts {
  api: Pick<Api, 'get' | 'patch'>;
  clock: Clock;
  /** Where the Secret of a Certificate is mounted: tls.crt, tls.key and ca.crt. */
  folder: string;
  /** Webhook configurations whose caBundle is kept up to date. */
  configurations: readonly string[];
}

/** A certificate, and the authority that signed it. */
interface Signed {
  pair: Pair;
  authority: string;
}

/**
 * Reads the certificate that cert-manager renews, and tells the API server of its authority (hack/decisions/0007).
 *
 * When the authority changes, the certificate in use is served until the next look: API servers learn of the new one
 * meanwhile.
 */
export function certManagerSource({ api, clock, folder, configurations }: CertManagerParts): Source {
  let inUse: Signed | undefined;
  let known: string | undefined;
  return {
    async current(signal) {
      const read = await readSigned(folder);
      const after = (before: string) => withAuthority(before, read.authority, clock.now());
      const missing = await publishBundle(after, { api, names: configurations, signal });
      if (!inUse || known === read.authority || hasExpired(inUse, clock.now())) inUse = read;
      known = read.authority;
      return { ...inUse, missing };
    },
  };
}

async function readSigned(folder: string): Promise<Signed> {
  const pair = await readPair({ certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') });
  const authorityFile = join(folder, 'ca.crt');
  const authority = certificatesIn(await readPem(authorityFile)).join('');
  if (factsOf(authority)) return { pair, authority };
  throw new Error(
    `${authorityFile} holds no certificate in PEM form: take an issuer that has an authority of its own, or tell the API server of it yourself and give the files with --tls-mode=provided`,
  );
}

/**
 * A bundle that names an authority, put before those that it names already. One that expired goes, the others stay: some
 * replica may still serve by them, for mounted Secrets arrive at different times.
 */
export function withAuthority(bundle: string, authority: string, now: number): string {
  const before = certificatesIn(bundle);
  const added = certificatesIn(authority).filter((pem) => !before.includes(pem));
  if (added.length === 0) return bundle;
  return [...added, ...before.filter((pem) => (factsOf(pem)?.to ?? 0) > now)].join('');
}

const hasExpired = ({ pair }: Signed, now: number): boolean => (factsOf(pair.cert)?.to ?? 0) <= now;
