import { isSame } from '../../../schemas/same.ts';

type Spec = Readonly<Record<string, unknown>>;

/** Hot fields as a record keeps them; undefined for a text that is none. */
export function specIn(text: string | undefined): Spec | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** All that two specs may have left on a VM: maps and lists hold the entries of both, of single values the later holds. */
export function union(before: unknown, after: unknown): unknown {
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return Object.fromEntries(keys.map((key) => [key, union(before[key], after[key])]));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return [...after, ...before.filter((item) => !after.some((other) => isSame(item, other)))];
  }
  return after === undefined ? before : after;
}

/** Whether a VM that has `has` lacks something of `wanted`. Fields of which `has` says nothing are not known. */
export const drifted = (has: Spec, wanted: Spec): boolean =>
  Object.entries(wanted).some(([field, value]) => has[field] !== undefined && lacks(has[field], value));

function lacks(has: unknown, wanted: unknown): boolean {
  if (isMap(has) && isMap(wanted)) return Object.entries(wanted).some(([key, value]) => lacks(has[key], value));
  return !isSame(has, wanted);
}

const isMap = (value: unknown): value is Spec => typeof value === 'object' && value !== null && !Array.isArray(value);
