/**
 * Order of two resourceVersions of one resource: below 0 when `a` is the older one, 0 when they are the same. They are
 * decimal integers of any length (KEP-5504); throws a RangeError for anything else.
 */
export function compareVersions(a: string, b: string): number {
  for (const version of [a, b]) {
    if (!/^(0|[1-9][0-9]*)$/.test(version))
      throw new RangeError(`"${version}" is not a resourceVersion: not a decimal integer`);
  }
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
