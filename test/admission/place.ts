/**
 * Whether a field that is named in Kubernetes' own form (`spec.taints[0].key`, `metadata.labels[example.io/team]`) is there
 * in an object, or could be: what holds it is there, and only the last step is missing.
 */
export const names = (field: string, object: unknown): boolean => leadsOn(`.${field}`, object);

/** A key may stand after a dot or in brackets, and may have dots and brackets in it: whatever fits is tried. */
function leadsOn(rest: string, value: unknown): boolean {
  if (rest === '') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (/^(\.[^.[]+|\[.*\])$/.test(rest)) return true;
  return Object.entries(value).some(([key, inner]) =>
    [`.${key}`, `[${key}]`].some((step) => rest.startsWith(step) && leadsOn(rest.slice(step.length), inner)),
  );
}
