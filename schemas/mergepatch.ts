import { isSame } from './same.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The smallest JSON merge patch that turns `before` into `after`, or undefined when they are equal (RFC 7396). Lists are
 * replaced whole; what is undefined or missing in `after` is removed.
 */
export function mergePatch(before: object, after: object): Json | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = difference((before as Json)[key], (after as Json)[key]);
    if (change !== undefined) patch[key] = change;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function difference(before: unknown, after: unknown): unknown {
  if (after === undefined || after === null) return before === undefined || before === null ? undefined : null;
  if (isMap(before) && isMap(after)) return mergePatch(before, after);
  return isSame(before, after) ? undefined : after;
}

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
