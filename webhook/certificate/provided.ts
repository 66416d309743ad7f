import { belongs, factsOf } from './pair.ts';
import type { Source } from './source.ts';

/** Reads the certificate from two files that somebody else keeps fresh, such as a mounted Secret of cert-manager. */
export const providedSource = ({ certFile, keyFile }: { certFile: string; keyFile: string }): Source => ({
  async current() {
    const [cert, key] = await Promise.all([read(certFile), read(keyFile)]);
    const facts = factsOf(cert);
    if (!facts) throw new Error(`${certFile} holds no certificate in PEM form`);
    // The two files are written one after the other: for a moment they may not fit.
    if (!belongs(facts.certificate, key)) throw new Error(`${keyFile} does not hold the private key of ${certFile}`);
    return { pair: { cert, key } };
  },
});

async function read(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (cause) {
    throw new Error(`cannot read ${path}`, { cause });
  }
}
