/** Letters and digits that form no words and are not taken for one another (apimachinery `rand.SafeEncodeString`). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** 32-bit FNV-1a of a text's UTF-8 bytes; `start` is the hash of the text before it, if any. */
export function fnv32a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** A number as `length` letters of the safe alphabet, its lowest digits first. */
export function safeName(value: number, length: number): string {
  let rest = value;
  return Array.from({ length }, () => {
    const letter = ALPHABET[rest % ALPHABET.length];
    rest = Math.floor(rest / ALPHABET.length);
    return letter;
  }).join('');
}

/** Each character of a text replaced by a letter of the safe alphabet, by its byte modulo 27 (MCM 4.4). */
export const safeEncode = (text: string): string =>
  [...Buffer.from(text)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** A value as text that does not depend on the order of keys; what is undefined or null is left out. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, part]) => part !== undefined && part !== null);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`;
}

/**
 * What tells a value of JSON from all others, where `isSameBarNulls` does (schemas/same.ts). Nor does it call itself, for an object may be
 * 10,000 levels deep.
 */
export function digestOf(value: unknown): string {
  const [left, texts]: [unknown[], string[]] = [[value], []];
  while (left.length > 0) {
    const one = left.pop();
    const keys = Array.isArray(one) || !isObject(one) ? [] : keysOf(one);
    if (Array.isArray(one)) texts.push(`[${one.length}`);
    else texts.push(JSON.stringify(isObject(one) ? keys : one) ?? 'null');
    if (Array.isArray(one)) for (const item of one) left.push(item);
    else for (const key of keys) left.push((one as Record<string, unknown>)[key]);
  }
  return new Bun.CryptoHasher('sha256').update(texts.join('\n')).digest('base64');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function keysOf(object: object): string[] {
  const parts = object as Record<string, unknown>;
  return Object.keys(parts)
    .filter((key) => parts[key] !== undefined && parts[key] !== null)
    .sort();
}
