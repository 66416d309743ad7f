/**
 * What the fields of Kubernetes' own kinds are, as far as they are read. An API server that is somebody else's may send any JSON: a list where a
 * text belongs, or a hundred thousand levels of lists (hack/decisions/0028 T90).
 */

/** Where in a value something is not what it is to be, as a path; empty for the value itself, undefined where all is. Null is as good as absent. */
export type Check = (value: unknown) => string | undefined;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const ofType =
  (type: 'string' | 'number' | 'boolean'): Check =>
  (value) =>
    isAbsent(value) || typeof value === type ? undefined : '';

/** A text. */
export const text = ofType('string');

/** A number. */
export const count = ofType('number');

/** True or false. */
export const flag = ofType('boolean');

/** A text of at most so many characters. */
export const textWithin =
  (most: number): Check =>
  (value) =>
    isAbsent(value) || (typeof value === 'string' && value.length <= most) ? undefined : '';

/** Texts by name. */
export const texts: Check = (value) => {
  if (isAbsent(value)) return undefined;
  if (!isMap(value)) return '';
  for (const key in value) if (typeof value[key] !== 'string') return '';
  return undefined;
};

/** A list of such entries. */
export const listOf =
  (entry: Check): Check =>
  (value) => {
    if (isAbsent(value)) return undefined;
    if (!Array.isArray(value)) return '';
    for (const one of value) {
      const misfit = entry(one);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  };

/** An object with these fields, and any others. */
export const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const all = Object.entries(checks);
  return (value) => {
    if (isAbsent(value)) return undefined;
    if (!isMap(value)) return '';
    for (const [name, check] of all) {
      const misfit = check(value[name]);
      if (misfit !== undefined) return misfit === '' ? name : `${name}.${misfit}`;
    }
    return undefined;
  };
};

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
