import { isObject } from '../../schemas/same.ts';
import { Refusal } from './refusal.ts';

type Json = Record<string, unknown>;

/** One operation of a JSON patch (RFC 6902). */
interface Operation {
  op?: string;
  path?: string;
  value?: unknown;
}

/** Lists that a strategic merge patch merges by a key, and those that it merges as sets (API conventions, patchStrategy). */
const MERGED_BY: Readonly<Record<string, string | 'value'>> = {
  conditions: 'type',
  addresses: 'type',
  ownerReferences: 'uid',
  finalizers: 'value',
};

const rejected = (why: string): Refusal => new Refusal(422, 'Invalid', `the server rejected our request: ${why}`);

/** RFC 7396: maps are merged, null removes, anything else replaces. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatched(result[key], value);
  }
  return result;
}

/** Like a merge patch, but some lists are merged, and `$patch: replace` replaces a map, `$patch: delete` an entry. */
export function strategicPatched(target: unknown, patch: unknown, name = ''): unknown {
  const by = MERGED_BY[name];
  if (Array.isArray(patch)) return by === undefined ? patch : listMerged(target, patch, by);
  if (!isObject(patch)) return patch;
  const { $patch: directive, ...changes } = patch;
  const result: Json = isObject(target) && directive !== 'replace' ? { ...target } : {};
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete result[key];
    else result[key] = strategicPatched(result[key], value, key);
  }
  return result;
}

function listMerged(target: unknown, patch: unknown[], by: string): unknown[] {
  const old: unknown[] = Array.isArray(target) ? target : [];
  if (by === 'value') return [...new Set([...old, ...patch])];
  const keyOf = (item: unknown) => (item as Json)[by];
  const known = new Set(old.map(keyOf));
  const gone = new Set(patch.filter((item) => (item as Json)['$patch'] === 'delete').map(keyOf));
  const merged = old
    .filter((item) => !gone.has(keyOf(item)))
    .map((item) => strategicPatched(item, patch.find((one) => keyOf(one) === keyOf(item)) ?? {}));
  return [...merged, ...patch.filter((item) => !known.has(keyOf(item)) && !gone.has(keyOf(item)))];
}

/** RFC 6902 without `move` and `copy`; throws a Refusal when a test fails or a path leads nowhere. */
export function jsonPatched(target: object, operations: readonly Operation[]): object {
  const result = structuredClone(target);
  for (const operation of operations) operate(result, operation);
  return result;
}

function operate(target: object, { op, path = '', value }: Operation): void {
  const segments = path.split('/').slice(1).map(unescaped);
  const last = segments.pop() ?? '';
  const parent = segments.reduce<unknown>((at, segment) => childOf(at, segment, path), target) as Json | unknown[];
  if (op === 'test') {
    if (!Bun.deepEquals(childOf(parent, last, path), value)) throw rejected(`testing path ${path} failed`);
  } else if (op === 'add') add(parent, last, value);
  else if (op === 'replace' || op === 'remove') {
    childOf(parent, last, path);
    remove(parent, last);
    if (op === 'replace') add(parent, last, value);
  } else throw rejected(`unexpected operation ${op}`);
}

function childOf(parent: unknown, segment: string, path: string): unknown {
  const found =
    Array.isArray(parent) || isObject(parent) ? Object.entries(parent).find(([key]) => key === segment) : undefined;
  if (!found) throw rejected(`unable to find the path ${path}`);
  return found[1];
}

function add(parent: Json | unknown[], segment: string, value: unknown): void {
  if (!Array.isArray(parent)) parent[segment] = value;
  else parent.splice(segment === '-' ? parent.length : Number(segment), 0, value);
}

function remove(parent: Json | unknown[], segment: string): void {
  if (Array.isArray(parent)) parent.splice(Number(segment), 1);
  else delete parent[segment];
}

const unescaped = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');
