import type { ErrorObject } from 'ajv/dist/2020';
import { segment } from '../../schemas/hotpart.ts';
import type { JsonSchema } from '../../schemas/jsonschema.ts';
import { nearest } from '../../schemas/nearest.ts';
import { assertWithinBounds, documentFault } from '../../schemas/providers/bounds.ts';
import { isObject } from '../../schemas/same.ts';
import { compile } from './compile.ts';
import type { Violation } from './violation.ts';
import { Effort, TooMuchWork } from './workbudget.ts';

/** Finds what is wrong with a document. */
export type Check = (document: unknown) => readonly Violation[];

/** Compiles a schema, once; `what` names it. Throws an Error for one that is beyond the bounds or no JSON Schema. */
export function compileCheck(what: string, schema: JsonSchema): Check {
  assertWithinBounds(what, schema);
  const effort = new Effort();
  const errorsOf = compiled(what, schema, effort);
  return (document) => {
    const fault = documentFault(document);
    if (fault !== undefined) return [{ message: fault }];
    effort.begin();
    try {
      return violationsOf(errorsOf(document));
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error;
      return [{ message: 'takes too much work to check: make it smaller, above all long lists and long texts' }];
    }
  };
}

function compiled(what: string, schema: JsonSchema, effort: Effort): (document: unknown) => readonly ErrorObject[] {
  try {
    const validates = compile(schema, effort);
    return (document) => (validates(document) ? [] : (validates.errors ?? []));
  } catch (cause) {
    throw new Error(`the JSON Schema of the ${what} cannot be compiled`, { cause });
  }
}

/** How many faults are told one by one. */
const MOST_LISTED = 20;

type AnyError = ErrorObject<string, Record<string, unknown>>;

/** What ajv found, in sentences for people, each at its place. */
export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const kept = withoutRepeats(errors as readonly AnyError[]);
  const more = kept.length - MOST_LISTED;
  return [
    ...kept.slice(0, MOST_LISTED).map(violationOf),
    ...(more > 0 ? [{ message: `has ${more} more faults of this kind; mend these first` }] : []),
  ];
}

/** An alternative that fails is told by what is wrong in each; what only wraps another fault says nothing new. */
function withoutRepeats(errors: readonly AnyError[]): AnyError[] {
  const kept: AnyError[] = [];
  for (const error of errors) {
    if (error.keyword === 'if' || error.keyword === 'propertyNames') continue;
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') kept.push(error);
    else kept.push(alternatives(error, takeBelow(kept, error)));
  }
  return kept;
}

/** Takes from the end of the list what was found within an alternative, which ajv tells just before. */
function takeBelow(kept: AnyError[], { schemaPath }: AnyError): AnyError[] {
  const first = kept.findLastIndex((error) => !error.schemaPath.startsWith(`${schemaPath}/`)) + 1;
  return kept.splice(first);
}

function alternatives(error: AnyError, within: readonly AnyError[]): AnyError {
  if (error.params['passingSchemas']) return { ...error, message: 'fits more than one of its alternatives' };
  if (titleOf(error) !== undefined) return error;
  const said = within.map((one) => {
    const { at = '', message = '' } = violationOf(one);
    const below = at.slice(placeOf(error).length);
    return `${below && `${below} `}${message}`;
  });
  return said.length === 0 ? error : { ...error, message: [...new Set(said)].slice(0, MOST_LISTED).join(', or ') };
}

function violationOf(error: AnyError): Violation {
  const { keyword, params, propertyName } = error;
  const at = placeOf(error);
  if (propertyName !== undefined) return { at: `${at}${key(propertyName)}`, message: `as a key ${plainly(error)}` };
  if (keyword === 'required' || keyword === 'dependentRequired')
    return { at: `${at}${key(String(params['missingProperty']))}`, message: 'must be set' };
  const unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof unknown === 'string') return { at: `${at}${key(unknown)}`, message: unknownKey(unknown, error) };
  if (keyword === 'enum') return { at, message: oneOf(error) };
  if (keyword === 'const') return { at, message: `must be ${JSON.stringify(params['allowedValue'])}` };
  return { at, message: plainly(error) };
}

/** By the title of the schema where there is one: nobody likes to read a pattern. */
function plainly(error: AnyError): string {
  const { keyword, params, message = 'is not as it must be' } = error;
  const title = titleOf(error);
  if (title !== undefined) return `must be a ${title}`;
  if (keyword !== 'type') return message;
  return `must be ${[params['type']]
    .flat()
    .map((type) => `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`)
    .join(' or ')}`;
}

const titleOf = ({ keyword, parentSchema }: AnyError): string | undefined => {
  const title = ['pattern', 'anyOf', 'oneOf'].includes(keyword) ? parentSchema?.['title'] : undefined;
  return typeof title === 'string' ? title : undefined;
};

function unknownKey(unknown: string, { parentSchema }: AnyError): string {
  const { properties } = parentSchema ?? {};
  const known = isObject(properties) ? Object.keys(properties) : [];
  const meant = nearest(unknown, known);
  if (meant !== undefined) return `is not known; did you mean ${meant}?`;
  return known.length === 0 ? 'is not known' : `is not known; there are ${listOf(known)}`;
}

function oneOf({ params, data }: AnyError): string {
  const values = (params['allowedValues'] as unknown[]).map(String);
  const meant = typeof data === 'string' ? nearest(data, values) : undefined;
  return `must be one of ${listOf(values)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

const listOf = (words: readonly string[]): string =>
  words.length <= MOST_LISTED ? words.join(', ') : `${words.slice(0, MOST_LISTED).join(', ')} and others`;

/** ajv's JSON pointer in the form of Kubernetes. */
function placeOf({ instancePath }: AnyError): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : key(part)))
    .join('');
}

/** A key in a path; one beyond all measure is cut. */
const key = (name: string): string => segment(name.length <= 253 ? name : `${name.slice(0, 250)}...`);
