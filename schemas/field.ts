import * as v from 'valibot';

/**
 * How the fields of our kinds are written: a schema and the sentence that documents it. The sentence reaches
 * `kubectl explain`, the CRD and schemas/README.md.
 */

/** A field that must be there. */
export const required = <S extends v.GenericSchema>(schema: S, sentence: string) =>
  v.pipe(schema, v.description(sentence));

/** A field that may be left out. */
export const optional = <S extends v.GenericSchema>(schema: S, sentence: string) =>
  v.optional(v.pipe(schema, v.description(sentence)));

/** A field that the API server fills in and that readers may rely on. */
export const defaulted = <S extends v.GenericSchema, const D extends v.InferInput<S>>(
  schema: S,
  value: D,
  sentence: string,
) => v.optional(v.pipe(schema, v.description(sentence)), value);

/**
 * A field that the API server fills in, but whose type stays optional, so that whoever builds an object need not
 * repeat the default. Absent means the default.
 */
export const served = <S extends v.GenericSchema>(schema: S, value: v.InferInput<S>, sentence: string) =>
  v.optional(v.pipe(schema, v.description(sentence), v.metadata({ default: value })));

/** A rule in CEL that the API server checks itself; `message` says what to do. */
export interface CelRule {
  rule: string;
  message: string;
  /** Where the finding points to when that is not the place of the rule, for example `.providerID`. */
  fieldPath?: string;
}

/** CEL rules for {@link v.pipe} (KEP-2876). A rule that reads `oldSelf` is checked on updates only. */
export const cel = <T>(...rules: readonly CelRule[]) =>
  v.metadata<T, Record<string, unknown>>({ 'x-kubernetes-validations': rules });

/** Makes a list a map by these keys: no two entries share them, and server-side apply merges by them. */
export const listMap = <T>(...keys: readonly string[]) =>
  v.metadata<T, Record<string, unknown>>({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
