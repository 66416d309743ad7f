import { readPem } from './files.ts';
import { certificatesIn, factsOf } from './keypair.ts';
import type { Source } from './source.ts';

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
