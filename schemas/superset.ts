import * as v from 'valibot';

/** A field that MCM does not know (hack/decisions/0000 2): a client that MCM's types were compiled into drops it on a PUT. */
export interface SupersetField {
  /** From the object's root: `spec.powerState`. */
  field: string;
  /** What the API server puts there by itself when a request leaves the field out; undefined when it puts nothing. */
  fallback: unknown;
}

/** The fields that stand below `at`; whatever is added to the entries is one of them from then on. */
export const supersetOf = (at: string, entries: v.ObjectEntries): SupersetField[] =>
  Object.entries(entries).map(([name, schema]) => ({ field: `${at}.${name}`, fallback: fallbackOf(schema) }));

/** The default of a field that is written with `served` or `defaulted` (field.ts). */
function fallbackOf(schema: v.ObjectEntries[string]): unknown {
  if (!('wrapped' in schema)) return undefined;
  const { wrapped, default: own } = schema as v.OptionalSchema<v.GenericSchema, unknown>;
  return own ?? v.getMetadata(wrapped)['default'];
}
