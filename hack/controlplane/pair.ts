import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate (or a bare public key) and its private key, PEM. */
export interface Pair {
  cert: string;
  key: string;
}

/** The pair that the folder holds under `name`; made and written the first time. */
export async function keptPair(folder: string, name: string, make: () => Promise<Pair>): Promise<Pair> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  if (existsSync(cert)) return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const pair = await make();
  writeFileSync(key, pair.key, { mode: 0o600 }); // Before the certificate, whose file says that both are there.
  writeFileSync(cert, pair.cert);
  return pair;
}
