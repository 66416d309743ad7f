export interface Checksum {
  algorithm: 'sha256' | 'sha512';
  /** In lower-case hex. */
  hex: string;
}

/** A file to download, and what it has to be. */
export interface Asset extends Checksum {
  url: string;
}

const HEX_DIGITS = { sha256: 64, sha512: 128 };

/** A checksum that a list holds; undefined when it has not the form of one. */
export function checksum(algorithm: Checksum['algorithm'], hex: string | undefined): Checksum | undefined {
  const digits = hex?.trim().toLowerCase() ?? '';
  return /^[0-9a-f]+$/.test(digits) && digits.length === HEX_DIGITS[algorithm] ? { algorithm, hex: digits } : undefined;
}

/** The hex digits of a file in a list as sha256sum writes it: `<hex>  <file>` (or ` *<file>`) on each line. */
export function hexFor(file: string, list: string): string | undefined {
  const lines = list.split('\n').map((line) => line.trim().split(/\s+\*?/));
  return lines.find(([, name]) => name === file)?.[0];
}

/** The asset of that name in envtest's release index: `releases: {v1.36.2: {<file>: {hash: <SHA-512>, selfLink}}}`. */
export function assetInIndex(index: string, { release, file }: { release: string; file: string }): Asset | undefined {
  const { releases } = Bun.YAML.parse(index) as { releases?: Record<string, Record<string, IndexEntry>> };
  const entry = releases?.[release]?.[file];
  const sum = checksum('sha512', entry?.hash);
  return sum && entry?.selfLink ? { ...sum, url: entry.selfLink } : undefined;
}

interface IndexEntry {
  hash?: string;
  selfLink?: string;
}

/** Throws unless the file is what it has to be. */
export async function verify(path: string, { algorithm, hex, url }: Asset): Promise<void> {
  const hasher = new Bun.CryptoHasher(algorithm);
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  const found = hasher.digest('hex');
  if (found !== hex) throw new Error(`${url} has ${algorithm} ${found}, but ${hex} is published: not used`);
}
