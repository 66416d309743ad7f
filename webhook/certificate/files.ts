import { belongs, factsOf, type Pair } from './keypair.ts';
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
