/** Counts what was looked at. */
export interface Steps {
  taken: number;
}

/**
 * Whether two values of JSON are equal, what is undefined being as good as absent, in time linear in their size: Bun.deepEquals is quadratic in their depth, and an
 * object of the API server may be 10,000 levels deep. For the same reason nothing here calls itself.
 */
export const isSame = (one: unknown, other: unknown, steps: Steps = { taken: 0 }): boolean =>
  isAlike([one, other], { steps, isAbsent: (value) => value === undefined });

/** The same of fields of the API, which may be null where they are left out. Items of lists may not. */
export const isSameBarNulls = (one: unknown, other: unknown): boolean =>
  isAlike([one, other], { steps: { taken: 0 }, isAbsent: (value) => value === undefined || value === null });

interface Judging {
  steps: Steps;
  /** As good as a field that is not there. */
  isAbsent(value: unknown): boolean;
}

function isAlike(left: unknown[], judging: Judging): boolean {
  while (left.length > 0) {
    const second = left.pop();
    const first = left.pop();
    if (first !== second && !isAlikeOutside(first, second, { parts: left, ...judging })) return false;
  }
  return true;
}

/** Whether two different values are alike but for their parts, which are put on the list, two by two. */
function isAlikeOutside(
  one: unknown,
  other: unknown,
  { parts, steps, isAbsent }: Judging & { parts: unknown[] },
): boolean {
  if (isAbsent(one) && isAbsent(other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) ? !isAsLong(one, other) : Array.isArray(other)) return false;
  const keys = Object.keys(one);
  steps.taken += 1 + keys.length;
  const [values, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  for (const key of keys) {
    const [value, wanted] = [values[key], Object.hasOwn(others, key) ? others[key] : undefined];
    // Most are equal texts, which need no place on the list.
    if (value !== wanted) parts.push(value, wanted);
  }
  return Object.keys(others).every((key) => isAbsent(others[key]) || Object.hasOwn(values, key));
}

const isAsLong = (list: readonly unknown[], other: unknown): boolean =>
  Array.isArray(other) && other.length === list.length;

type Json = Readonly<Record<string, unknown>>;

/**
 * The smallest JSON merge patch that turns `before` into `after`, or undefined when they are equal (RFC 7396). Lists are
 * replaced whole; what is undefined or missing in `after` is removed.
 */
export function mergePatch(before: object, after: object): Json | undefined {
  const whole: Place = { before: before as Json, after: after as Json, patch: {} };
  const places = [whole];
  // Those that are added meanwhile come as well: of what is within each other, the outer first.
  for (const place of places) for (const inner of placesIn(place)) places.push(inner);
  for (const { patch, within } of places.toReversed())
    if (within && Object.keys(patch).length === 0) delete within.patch[within.key];
  return Object.keys(whole.patch).length > 0 ? whole.patch : undefined;
}

interface Place {
  before: Json;
  after: Json;
  patch: Record<string, unknown>;
  /** The patch that holds this one, unless it stays empty. */
  within?: { patch: Record<string, unknown>; key: string };
}

/** Writes down how the fields of two objects differ, and finds those that are objects themselves. */
function placesIn({ before, after, patch }: Place): Place[] {
  const places: Place[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[key], after[key]];
    if (isObject(old) && isObject(now)) {
      const inner = {};
      patch[key] = inner;
      places.push({ before: old, after: now, patch: inner, within: { patch, key } });
    } else if (now === undefined || now === null) {
      if (old !== undefined && old !== null) patch[key] = null;
    } else if (!isSame(old, now)) patch[key] = now;
  }
  return places;
}

/** An object of JSON: no list, no null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
