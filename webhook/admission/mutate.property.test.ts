import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_CREATED_BY, LABEL_CLUSTER } from '../../schemas/keys.ts';
import { apiVersionOf, type Kind } from '../../schemas/kind.ts';
import { apiVersion, kinds } from '../../schemas/kinds.ts';
import { isObject } from '../../schemas/same.ts';
import { lookUpIn } from '../../test/admission/facts.ts';
import { type Asked, reviewOf } from '../../test/admission/review.ts';
import { tables } from '../rules/kinds/registry.ts';
import { type PatchOperation, type Path, parsePath, put } from './fieldpath.ts';
import { createMutate, type Mutation } from './mutate.ts';
import { readReview } from './review.ts';

/** Whatever an object looks like, and whoever writes it in whichever way. */

const annotations = fc.dictionary(fc.constantFrom('note', ANNOTATION_CREATED_BY), fc.constantFrom('', 'alice', 'bob'));
const labels = fc.dictionary(fc.constantFrom('app', LABEL_CLUSTER), fc.constantFrom('', 'west', 'herd'));
const owners = fc.constantFrom(undefined, [{ apiVersion, kind: 'Owner', name: 'o', uid: 'u', controller: true }]);
const metadata = fc.record({
  annotations: fc.option(annotations, { nil: undefined }),
  labels: fc.option(labels, { nil: undefined }),
  ownerReferences: owners,
  deletionTimestamp: fc.constantFrom(undefined, undefined, '2026-01-01T00:00:00Z'),
});

/** Without whole numbers that JavaScript has not, which are refused rather than put back (shield.test.ts). */
const exactJson = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/\d{16}/.test(JSON.stringify(value)));

/** Fields outside of metadata that are filled in or put back, with values that mean something and some that are mistakes. */
const settings = (kind: Kind) =>
  fc.array(fc.tuple(fc.constantFrom(...fieldsOf(kind)), fc.oneof(meaningful(kind), exactJson)), {
    maxLength: 12,
  });

const fieldsOf = (kind: Kind): string[] =>
  [
    ...kind.superset.map(({ field }) => field),
    ...tables.filter((table) => table.kind === kind).flatMap(({ defaults }) => defaults.map(({ field }) => field)),
    'spec',
    'status',
    'spec.template',
    'spec.template.metadata.labels',
    'spec.strategy.type',
  ].filter((field) => !field.startsWith('metadata.'));

const meaningful = ({ superset }: Kind) =>
  fc.constantFrom<unknown[]>(null, 0, 'now', 'RollingUpdate', 'InPlaceUpdate', {}, ...superset.map((f) => f.fallback));

const object = (kind: Kind) =>
  fc.record({ metadata, set: settings(kind) }).map(({ metadata: meta, set }): KubeObject => {
    const made = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { ...meta, name: 'one' } };
    for (const [field, value] of set) if (value !== undefined) put(made, parsePath(field), structuredClone(value));
    return JSON.parse(JSON.stringify(made));
  });

const asked: fc.Arbitrary<Asked> = fc.constantFrom(...kinds).chain((kind) =>
  fc.record(
    {
      now: object(kind),
      before: object(kind),
      fieldManager: fc.constantFrom('', 'kubectl', 'kubectl-replace'),
      subResource: fc.constantFrom('', '', 'status', 'scale'),
    },
    { requiredKeys: ['now'] },
  ),
);

const mutate = createMutate({ tables, clock: new FakeClock(), lookUp: lookUpIn() });

/** The answer to a request, and the request with that answer carried out. */
function answered(request: Asked): { mutation: Mutation; next: Asked } {
  const review = readReview(JSON.stringify(reviewOf(request)));
  if (!('request' in review)) throw new Error(review.unfit);
  const mutation = mutate(review.request);
  return { mutation, next: { ...request, now: patched(request.now as KubeObject, mutation.patch) } };
}

/** A copy with a patch carried out as the API server does: the parent of what is added must be there. */
function patched(target: KubeObject, patch: readonly PatchOperation[]): KubeObject {
  const copy: unknown = structuredClone(target);
  for (const { path, value } of patch) {
    const keys = pathOf(path);
    const last = keys.at(-1) ?? '';
    const parent = keys.slice(0, -1).reduce((at, key) => (isObject(at) ? at[key] : undefined), copy);
    if (!isObject(parent)) throw new Error(`${path} has no parent`);
    parent[last] = structuredClone(value);
  }
  return copy as KubeObject;
}

const pathOf = (pointer: string): Path =>
  pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

test('a second time there is nothing left to do', () => {
  fc.assert(
    fc.property(asked, (request) => {
      const { next } = answered(request);
      expect(answered(next).mutation).toEqual({ patch: [], warnings: [] });
    }),
    { numRuns: 1_000 },
  );
});

test('no operation of a patch is idle, and a warning comes with one', () => {
  fc.assert(
    fc.property(asked, (request) => {
      const { mutation } = answered(request);
      let now = request.now as KubeObject;
      for (const operation of mutation.patch) {
        const next = patched(now, [operation]);
        expect(next).not.toEqual(now);
        now = next;
      }
      if (mutation.patch.length === 0) expect(mutation.warnings).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
