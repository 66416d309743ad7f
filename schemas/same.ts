/**
 * Whether two values of JSON are equal, in time linear in their size: Bun.deepEquals is quadratic in their depth, and an
 * object of the API server may be 10,000 levels deep. Throws a RangeError for what is some times deeper than that.
 * @param known keeps what was found out, for who compares parts of the same two values later
 */
export function isSame(one: unknown, other: unknown, known?: WeakMap<object, boolean>): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const before = known?.get(one);
  if (before !== undefined) return before;
  const same = Array.isArray(one) ? isSameList(one, other, known) : isSameMap(one, other, known);
  known?.set(one, same);
  return same;
}

function isSameList(one: readonly unknown[], other: object, known?: WeakMap<object, boolean>): boolean {
  if (!Array.isArray(other) || one.length !== other.length) return false;
  // A loop, and one below: these are most of what an update costs.
  for (let at = 0; at < one.length; at++) if (!isSame(one[at], other[at], known)) return false;
  return true;
}

function isSameMap(one: object, other: object, known?: WeakMap<object, boolean>): boolean {
  const keys = Object.keys(one);
  if (Array.isArray(other) || keys.length !== Object.keys(other).length) return false;
  const [values, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  for (const key of keys) if (!Object.hasOwn(others, key) || !isSame(values[key], others[key], known)) return false;
  return true;
}
