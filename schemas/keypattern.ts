import { celText } from './policy.ts';

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

/** Patterns, and those that are not meant although they fit one of them. */
export interface KeyPatterns {
  keys: readonly KeyPattern[];
  except?: readonly KeyPattern[];
}

/** Whether a key is meant by one of several patterns, here. */
export const isMeantBy = ({ keys, except = [] }: KeyPatterns, key: string): boolean =>
  keys.some((pattern) => isMeant(pattern, key)) && !except.some((pattern) => isMeant(pattern, key));

/** The same as CEL. Many keys are looked up in one list: that costs the API server less than to compare each. */
export function celMeantBy({ keys, except = [] }: KeyPatterns): string {
  const meant = keys.map(celMeant).join(' || ');
  if (except.length === 0) return meant;
  const [whole = [], parts = []] = [false, true].map((of) => except.filter((pattern) => pattern.endsWith('*') === of));
  const free = [...(whole.length > 0 ? [`key in [${whole.map(celText).join(', ')}]`] : []), ...parts.map(celMeant)];
  return `(${meant}) && !(${free.join(' || ')})`;
}

function partsOf(pattern: KeyPattern): { ends?: string; begins?: string } {
  if (pattern.startsWith('*') && pattern.endsWith('/*')) return { ends: pattern.slice(1, -2) };
  return pattern.endsWith('*') ? { begins: pattern.slice(0, -1) } : {};
}

const prefixOf = (key: string): string => {
  const slash = key.indexOf('/');
  return slash < 0 ? key : key.slice(0, slash);
};
