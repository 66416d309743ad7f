import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { RE2JS } from 're2js';
import { innerSchemas, type JsonSchema, mapInner } from '../../schemas/jsonschema.ts';
import { isObject } from '../../schemas/same.ts';
import type { Effort } from './workbudget.ts';

/** Put into each schema, so that looking at a value by it is counted. */
const STEPS = 'x-drover-steps';

/**
 * Compiles a schema within the bounds into a validator that finds everything wrong at once, and spends effort on each
 * look at a value: no combination of alternatives, references, lists and expressions gets around that. Throws an Error for
 * keywords, types and references that do not exist.
 */
export function compile(schema: JsonSchema, effort: Effort): ValidateFunction {
  const ajv = new Ajv2020({
    // Of an instance alone: what is compiled goes with it.
    logger: false,
    allErrors: true,
    // With the schema, of whose properties the nearest is named.
    verbose: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    validateFormats: false,
    // Tests hold drivers' schemas against JSON Schema's own: to compile that takes longer than all else at the start.
    validateSchema: false,
    meta: false,
    // A schema that is referred to by many becomes code once.
    inlineRefs: false,
    code: { regExp: Object.assign(expressions(effort), { code: 're2js' }) },
  });
  ajv.addVocabulary([...annotationsIn(schema)]);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have two equal items' },
    validate: (on: boolean, items: unknown[]) => !on || areUnique(items, effort),
  });
  ajv.addKeyword({
    keyword: STEPS,
    schemaType: 'number',
    validate(steps: number, value: unknown) {
      effort.spend(steps + widthOf(value));
      return true;
    },
  });
  return ajv.compile(counted(schema));
}

/** Expressions as RE2 understands them: linear in the text, whatever they are. */
const expressions = (effort: Effort) => (pattern: string) => {
  const expression = RE2JS.compile(pattern);
  const stepsPerCharacter = expression.programSize() / 25;
  return {
    // By which ajv tells one expression from another.
    toString: () => pattern,
    test(text: string): boolean {
      effort.spend(1 + text.length * stepsPerCharacter);
      return expression.test(text);
    },
  };
};

/** Each schema with the number of steps that it takes: one, and one for each part of its own keywords. */
const counted = (schema: JsonSchema): JsonSchema => ({
  ...mapInner(schema, counted),
  [STEPS]: 1 + Object.keys(schema).length + innerSchemas(schema).length + listed(schema),
});

const listed = ({ enum: values, const: value, required, dependentRequired }: JsonSchema): number =>
  [values, value, required, dependentRequired].reduce<number>((sum, part) => sum + partsOf(part), 0);

const partsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum, part) => sum + 1 + partsOf(part), 0)
    : 0;

/** What a look at a value costs beside the schema's own part. */
function widthOf(value: unknown): number {
  if (typeof value === 'string') return value.length / 16;
  if (Array.isArray(value)) return value.length / 4;
  return isObject(value) ? Object.keys(value).length : 0;
}

function areUnique(items: readonly unknown[], effort: Effort): boolean {
  const texts = items.map((item) => {
    const text = JSON.stringify(item, inOrder);
    effort.spend(1 + text.length / 4);
    return text;
  });
  return new Set(texts).size === items.length;
}

/** For JSON.stringify: objects that differ in the order of their keys alone become the same text. */
const inOrder = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Keywords that say nothing to a validator: ours and others that begin with `x-`. */
const annotationsIn = (schema: JsonSchema): Set<string> =>
  new Set([
    ...Object.keys(schema).filter((keyword) => keyword.startsWith('x-')),
    ...innerSchemas(schema).flatMap((inner) => [...annotationsIn(inner.schema)]),
  ]);
