import { celText } from '../schemas/policy.ts';

/** Which keys of labels and annotations are meant: `a.io/b` just that, `a.io/*` by its beginning, `*.word/*` by the end of its prefix. */
export type KeyPattern = string;

/** Whether a key is meant, here. */
export function isMeant(pattern: KeyPattern, key: string): boolean {
  const { ends, begins } = partsOf(pattern);
  if (ends !== undefined) return prefixOf(key).endsWith(ends) && prefixOf(key) !== ends;
  return begins === undefined ? key === pattern : key.startsWith(begins);
}

/** The same as CEL, of a key in the variable `key`. The API server lets no key begin with a dot. */
export function celMeant(pattern: KeyPattern): string {
  const { ends, begins } = partsOf(pattern);
  if (ends !== undefined) return `key.split('/', 2)[0].endsWith(${celText(ends)})`;
  return begins === undefined ? `key == ${celText(pattern)}` : `key.startsWith(${celText(begins)})`;
}

function partsOf(pattern: KeyPattern): { ends?: string; begins?: string } {
  if (pattern.startsWith('*') && pattern.endsWith('/*')) return { ends: pattern.slice(1, -2) };
  return pattern.endsWith('*') ? { begins: pattern.slice(0, -1) } : {};
}

const prefixOf = (key: string): string => {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
};
