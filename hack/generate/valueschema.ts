/** JSON Schema (draft 7) for the values of a chart: that is what all versions of helm understand. */
export type Schema = Readonly<Record<string, unknown>>;

/** An object of these keys and no other. */
export const closed = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});

/** An object whose shape is Kubernetes' or the user's. */
export const anything: Schema = { type: 'object' };

/** Any text. */
export const text: Schema = { type: 'string' };

/** A text that the expression matches. */
export const textWith = (pattern: string): Schema => ({ type: 'string', pattern });

/** Texts by name, as labels and annotations are. */
export const texts: Schema = { type: 'object', additionalProperties: text };

/** True or false. */
export const flag: Schema = { type: 'boolean' };

/** A whole number of at least `minimum`, and at most `maximum` if that is said. */
export const count = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});

/** One of these words. */
export const oneOf = (...words: readonly string[]): Schema => ({ type: 'string', enum: words });

/** A list of such items. */
export const list = (items: Schema): Schema => ({ type: 'array', items });
