/** Counts what was looked at. */
export interface Steps {
  taken: number;
}

/**
 * Whether two values of JSON are equal, in time linear in their size: Bun.deepEquals is quadratic in their depth, and an
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
  if (keys.length !== Object.keys(other).length) return false;
  const [values, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  for (const key of keys) {
    if (!Object.hasOwn(others, key)) return false;
    // Most are equal texts, which need no place on the list.
    if (values[key] !== others[key]) parts.push(values[key], others[key]);
  }
  return true;
}
