import fc, { type Arbitrary } from 'fast-check';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { isObject } from '../../schemas/same.ts';
import { OPERATOR } from './app.ts';
import { caseTables } from './cases.ts';
import { type Asked, reviewOf } from './review.ts';

/** Objects and reviews for properties: out of the cases of all kinds, and out of nothing. */

/** Texts that are a trap somewhere: in JavaScript, in JSON, in Kubernetes or in Unicode. */
const traps = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'length',
  '',
  ' ',
  '/',
  '~1',
  '[0]',
  'é\u0301',
  '\ud800',
  '𝕂',
];

const text = fc.oneof(fc.constantFrom(...traps), fc.string({ unit: 'binary', maxLength: 20 }), fc.string());

/** Objects whose keys are own ones, whatever they are called. */
const objectOf = (key: Arbitrary<string>, value: Arbitrary<unknown>) =>
  fc
    .array(fc.tuple(key, value), { maxLength: 4 })
    .map((entries): Record<string, unknown> => Object.fromEntries(entries));

const scalar = fc.oneof(
  text,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON at all. */
export const anyJson: Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('any'), { maxLength: 4 }),
    objectOf(text, tie('any')),
  ),
})).any;

/** JSON in which lists or objects are nested beyond any schema. */
const deepJson = fc
  .tuple(fc.integer({ min: 50, max: 2_000 }), fc.constantFrom('list', 'object'), text)
  .map(([depth, how, key]) => {
    let value: unknown = key;
    for (let level = 0; level < depth; level++) value = how === 'list' ? [value] : Object.fromEntries([[key, value]]);
    return value;
  });

/** The objects of all cases, as they come over the wire. */
export const caseObjects: readonly KubeObject[] = caseTables.flatMap(({ cases }) =>
  cases.flatMap(({ now, before }) => JSON.parse(JSON.stringify(before ? [now, before] : [now]))),
);

/** Every value in the cases, and every key: what replaces another in a mutated object has a meaning somewhere. */
const parts = [...new Map(caseObjects.flatMap(partsOf).map((part) => [JSON.stringify(part), part])).values()];
const keys = [...new Set(parts.filter(isObject).flatMap(Object.keys))];

function partsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...keys) }, text);
const part = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...parts) }, { weight: 2, arbitrary: anyJson }, deepJson);

/** One change of an object. */
interface Edit {
  /** Leads to a place: at each level, which of its keys. */
  steps: readonly number[];
  does: 'set' | 'add' | 'remove';
  key: string;
  value: unknown;
}

const edit: Arbitrary<Edit> = fc.record({
  steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
  does: fc.constantFrom('set', 'add', 'remove'),
  key,
  value: part,
});

/** A copy with the changes made, as it comes over the wire: without holes, -0 and undefined. */
function edited<T>(value: T, edits: readonly Edit[]): T {
  const copy = structuredClone(value);
  for (const one of edits) make(copy, one);
  return JSON.parse(JSON.stringify(copy));
}

function make(value: unknown, { steps, does, key: added, value: wanted }: Edit): void {
  const [step = 0, ...rest] = steps;
  if (typeof value !== 'object' || value === null) return;
  const names = Object.keys(value);
  const name = names[step % Math.max(1, names.length)];
  const parent = value as Record<string, unknown>;
  if (name === undefined || does === 'add') define(parent, added, wanted);
  else if (rest.length > 0 && typeof parent[name] === 'object')
    make(parent[name], { steps: rest, does, key: added, value: wanted });
  else if (does === 'set') define(parent, name, wanted);
  else delete parent[name];
}

/** Sets a key that is an own one, even when it is `__proto__`; lists stay lists. */
function define(parent: Record<string, unknown>, name: string, value: unknown): void {
  if (Array.isArray(parent)) parent.push(structuredClone(value));
  else Object.defineProperty(parent, name, { value: structuredClone(value), ...plain });
}
const plain = { writable: true, enumerable: true, configurable: true };

const edits = (most: number) => fc.array(edit, { maxLength: most });

/** An object of one of our kinds: as in the cases, or with changes that may leave little of it but kind and metadata. */
export const object: Arbitrary<KubeObject> = fc
  .tuple(fc.constantFrom(...caseObjects), edits(4))
  .map(([good, changes]) => withHead(edited(good, changes), good));

/** What the API server sees to in any case: whose object it is. */
function withHead(made: KubeObject, { apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace: _, ...rest } = isObject(made.metadata) ? made.metadata : {};
  return { ...made, apiVersion, kind, metadata: { ...rest, name: metadata.name } } as KubeObject;
}

/** Two versions of an object. */
export const update: Arbitrary<{ before: KubeObject; now: KubeObject }> = fc
  .tuple(object, edits(3))
  .map(([before, changes]) => ({ before, now: withHead(edited(before, changes), before) }));

/** A request about such an object, by somebody who may override, or not. */
export const asked: Arbitrary<Asked> = fc
  .record({
    objects: fc.oneof(
      object.map((now) => ({ now })),
      update,
    ),
    user: fc.constantFrom({}, { user: OPERATOR }),
    manager: fc.constantFrom({}, { fieldManager: 'kubectl-client-side-apply' }),
  })
  .map(({ objects, user, manager }) => ({ ...objects, ...user, ...manager }));

/** The body of a call: an AdmissionReview, one with something wrong anywhere in it, or no such thing. */
export const body: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: asked.map((one) => JSON.stringify(reviewOf(one))) },
  {
    weight: 3,
    arbitrary: fc.tuple(asked, edits(3)).map(([one, changes]) => JSON.stringify(edited(reviewOf(one), changes))),
  },
  { weight: 1, arbitrary: anyJson.map((json) => JSON.stringify(json)) },
  { weight: 1, arbitrary: fc.tuple(asked, fc.nat()).map(([one, at]) => JSON.stringify(reviewOf(one)).slice(0, at)) },
);

/** The same value with the keys of all objects in it in another order. */
export function reordered<T>(value: T, rank: (key: string) => number): T {
  if (Array.isArray(value)) return value.map((one) => reordered(one, rank)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => rank(a) - rank(b));
  return Object.fromEntries(entries.map(([name, inner]) => [name, reordered(inner, rank)])) as T;
}
