import { type KubeObject, keyOf } from './object.ts';

/** Longer ones no API server has: etcd's are of 64 bits. */
const MOST_VERSION = 128;

/** So much of an object's key is named in an error. */
const MOST_NAMED = 512;

/** Whether it is a resourceVersion that can be compared: a decimal integer (KEP-5504), of 128 digits at the most. */
const isVersion = (text: string): boolean => text.length <= MOST_VERSION && /^(0|[1-9][0-9]*)$/.test(text);

/** The version of an object. Throws a TypeError for one that has none which could be compared. */
export function versionOf(object: KubeObject): string {
  const { resourceVersion } = object.metadata;
  if (resourceVersion !== undefined && isVersion(resourceVersion)) return resourceVersion;
  throw new TypeError(`${keyOf(object).slice(0, MOST_NAMED)} has no resourceVersion that could be waited for`);
}

/**
 * Order of two resourceVersions of one resource: below 0 when `a` is the older one, 0 when they are the same. Throws a RangeError for
 * what is none.
 */
export function compareVersions(a: string, b: string): number {
  for (const version of [a, b]) {
    if (!isVersion(version))
      throw new RangeError(`"${version.slice(0, MOST_VERSION)}" is not a resourceVersion: not a decimal integer`);
  }
  if (a.length !== b.length) return a.length - b.length;
  return a === b ? 0 : a < b ? -1 : 1;
}
