import { belongs, certificatesIn, factsOf, type Pair } from './keypair.ts';
import type { Source } from './source.ts';

/** Paths of PEM files. */
export interface PairFiles {
  certFile: string;
  keyFile: string;
}

/** Reads the certificate from two files that somebody else keeps fresh, and whose authority the API server knows. */
export const providedSource = (files: PairFiles): Source => ({
  current: async () => ({ pair: await readPair(files) }),
});

/** Reads a certificate and its key. Throws when they do not fit. */
export async function readPair({ certFile, keyFile }: PairFiles): Promise<Pair> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)]);
  const facts = factsOf(cert);
  if (!facts) throw new Error(`${certFile} holds no certificate in PEM form`);
  // The two files are written one after the other: for a moment they may not fit.
  if (!belongs(facts.certificate, key)) throw new Error(`${keyFile} does not hold the private key of ${certFile}`);
  return { cert, key };
}

/** Reads a file as text. */
export async function readPem(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (cause) {
    throw new Error(`cannot read ${path}`, { cause });
  }
}

/**
 * A source that reads beside the certificate, and as often, the authorities whose clients are trusted. It fails as long as
 * the file is missing or holds none, so that no mistake opens the door.
 */
export const withClientAuthorities = (source: Source, file: string): Source => ({
  async current(signal) {
    const [served, clientAuthorities] = await Promise.all([source.current(signal), readAuthorities(file)]);
    return { ...served, pair: { ...served.pair, clientAuthorities } };
  },
});

async function readAuthorities(file: string): Promise<string> {
  const authorities = certificatesIn(await readPem(file));
  if (authorities.length === 0 || !authorities.every(factsOf))
    throw new Error(`${file} holds no certificates of authorities in PEM form`);
  return authorities.join('');
}
