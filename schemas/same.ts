/** Counts what was looked at. */
export interface Steps {
  taken: number;
}

/**
 * Whether two values of JSON are equal, what is undefined being as good as absent, in time linear in their size: Bun.deepEquals is quadratic in their depth, and an
 * object of the API server may be 10,000 levels deep. For the same reason nothing here calls itself.
 */
export function isSame(one: unknown, other: unknown, steps: Steps = { taken: 0 }): boolean {
  if (one === other) return true;
  const left: unknown[] = [one, other];
  while (left.length > 0) {
    const second = left.pop();
    const first = left.pop();
    if (first !== second && !isSameOutside(first, second, { parts: left, steps })) return false;
  }
  return true;
}

interface Going {
  parts: unknown[];
  steps: Steps;
}

/** Whether two different values are alike but for their parts, which are put on the list, two by two. */
function isSameOutside(one: unknown, other: unknown, { parts, steps }: Going): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  steps.taken += 1 + keys.length;
  const [values, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  for (const key of keys) {
    const [value, wanted] = [values[key], Object.hasOwn(others, key) ? others[key] : undefined];
    // Most are equal texts, which need no place on the list.
    if (value !== wanted) parts.push(value, wanted);
  }
  return !hasMore(others, values);
}

/** Whether something is defined in one that is not in the other at all. */
function hasMore(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
  for (const key of Object.keys(one)) if (one[key] !== undefined && !Object.hasOwn(other, key)) return true;
  return false;
}
