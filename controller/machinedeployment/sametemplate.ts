import { isSameTemplate, type Template } from '../../schemas/templateidentity.ts';

/**
 * Whether two templates are the same, judged once for as long as both are there: a template may have some ten thousand annotations, and a look
 * compares those of all sets several times. What is stored is never changed in its place.
 */
export function judgedOnce(): typeof isSameTemplate {
  const known = new WeakMap<object, WeakMap<object, boolean>>();
  return (one: Template | undefined, other: Template | undefined) => {
    if (!one || !other) return isSameTemplate(one, other);
    const judged = known.getOrInsertComputed(one, () => new WeakMap<object, boolean>());
    return judged.getOrInsertComputed(other, () => isSameTemplate(one, other));
  };
}
