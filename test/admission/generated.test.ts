import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import * as v from 'valibot';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { kinds } from '../../schemas/kinds.ts';
import type { Answer } from '../../webhook/admission/response.ts';
import { readReview } from '../../webhook/admission/review.ts';
import { type Finding, readsOf } from '../../webhook/admission/rule.ts';
import type { Table } from '../../webhook/admission/table.ts';
import { createValidate } from '../../webhook/admission/validate.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import { OPERATOR, webhookApp } from './app.ts';
import { anyJson, asked, body, object, reordered } from './arbitrary.ts';
import { lookUpIn } from './facts.ts';
import { type Asked, answerTo, reviewOf } from './review.ts';

/** How many reviews are generated: some thousands with the other tests, `REVIEWS=100000` for a thorough run. */
const REVIEWS = Number(process.env['REVIEWS'] ?? 4_000);
/** Half of them may be anything; the others are shared by four properties of verdicts. */
const anything = { numRuns: Math.ceil(REVIEWS / 2) };
const some = { numRuns: Math.ceil(REVIEWS / 8) };
const PATIENCE_MS = 60_000 + 20 * REVIEWS;

const { app } = webhookApp();
const lookUp = lookUpIn();
const validated = (one: Asked) => answerTo(app, '/validate', one);
/** What speaks against a request; one that is none, for its metadata is misshapen, is left out. */
function causesOf({ status }: Answer) {
  fc.pre(status?.code !== 400);
  return status?.details?.causes ?? [];
}

function tableOf({ kind }: KubeObject): Table<KubeObject> {
  const table = tables.find((one) => one.kind.kind === kind);
  if (!table) throw new Error(`no table for ${kind}`);
  return table;
}

describe('whatever comes', () => {
  const paths = fc.constantFrom('/validate', '/mutate');

  async function answered(text: string, path: string): Promise<void> {
    const answer = await app.request(path, { method: 'POST', body: text });
    if (answer.status === 200) expectVerdict(text, await answer.json());
    else expect(answer.status).toBe(400);
  }

  test(
    'the answer is a verdict or a 400, and nothing is left behind',
    async () => {
      await fc.assert(fc.asyncProperty(body, paths, answered), anything);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** A verdict with the request's uid, and a reasoned one: only a kind that nobody knows may fail to be judged. */
function expectVerdict(sent: string, answer: unknown): void {
  const { request } = JSON.parse(sent);
  const { response } = answer as { response: Answer & { uid: string } };
  expect(response).toMatchObject({ uid: request.uid, allowed: expect.any(Boolean) });
  if (kinds.some(({ kind }) => kind === request.kind?.kind)) expect(response.status?.code).not.toBe(500);
}

describe('a verdict', () => {
  test(
    'is what the rows say when they are tried one by one',
    async () => {
      await fc.assert(
        fc.asyncProperty(asked, async (one) => {
          const causes = causesOf(await validated(one)).map(({ field }) => field);
          const alone = await oneByOne(one);
          const misshapen = alone.some(({ rule }) => rule === 'schema');
          if (misshapen) expect(causes).not.toEqual([]);
          else expect(causes.sort()).toEqual(alone.map(({ field }) => field).sort());
        }),
        some,
      );
    },
    PATIENCE_MS,
  );

  test(
    'names fields that are there, or whose parents are, in the object as it is or was, when its shape is right',
    async () => {
      await fc.assert(
        fc.asyncProperty(asked, async ({ now, before, ...rest }) => {
          const shaped = [now, before].map((version) => version && wellShaped(version));
          fc.pre(shaped.every((version, at) => version || (at > 0 && !before)));
          const causes = causesOf(await validated({ now, before, ...rest } as Asked));
          const lost = causes.filter(({ field }) => ![now, before, ...shaped].some((version) => names(field, version)));
          expect(lost).toEqual([]);
        }),
        some,
      );
    },
    PATIENCE_MS,
  );

  test(
    'does not depend on the order of keys',
    async () => {
      await fc.assert(
        fc.asyncProperty(asked, fc.nat(), async (one, seed) => {
          const rank = (key: string) => Number(Bun.hash(key, seed));
          expect(await validated(reordered(one, rank))).toEqual(await validated(one));
        }),
        some,
      );
    },
    PATIENCE_MS,
  );

  test(
    'is yes for an update that touches nothing a rule reads, whatever was wrong before',
    async () => {
      await fc.assert(
        fc.asyncProperty(object, fc.nat(), anyJson, async (before, pick, value) => {
          const free = unread(tableOf(before));
          const now = withField(before, free[pick % free.length] ?? '', value);
          const answer = await validated({ before, now });
          fc.pre(answer.status?.code !== 400);
          expect(answer).toEqual({ allowed: true });
        }),
        some,
      );
    },
    PATIENCE_MS,
  );
});

/** An object with the defaults of its schema; undefined when the API server would not even ask about it. */
function wellShaped(object: KubeObject): unknown {
  const { success, output } = v.safeParse(tableOf(object).kind.schema, object);
  return success ? output : undefined;
}

const permission = async ({ username }: { username: string }) => username === OPERATOR.username;

function alone({ held: _, ...table }: Table<KubeObject>, rule: Table<KubeObject>['rules'][number]): Table<KubeObject> {
  return { ...table, rules: [rule], guarded: [], claims: [] };
}

/** For each kind a validation by each rule alone, and one by the protected keys and claims alone. */
const rows = new Map(
  tables.map((table) => [
    table.kind.kind,
    [{ ...table, rules: [] }, ...table.rules.map((rule) => alone(table, rule))].map((row) =>
      createValidate({ tables: [row], lookUp, permission, retryDelay: async () => {} }),
    ),
  ]),
);

/** What the rows of its kind say against a request, each for itself. */
async function oneByOne(one: Asked): Promise<Finding[]> {
  const review = readReview(JSON.stringify(reviewOf(one)));
  if ('unfit' in review) throw new Error(review.unfit);
  const findings = await Promise.all((rows.get(one.now?.kind ?? '') ?? []).map((validate) => validate(review.request)));
  return findings.flat().filter(({ level }) => level === 'deny');
}

/** Fields that no rule of a table reads, of those that controllers write. */
function unread({ rules, held }: Table<KubeObject>): string[] {
  const read = [...rules.flatMap(readsOf), ...(held ? ['metadata.finalizers'] : [])];
  return ['metadata.finalizers', 'metadata.managedFields', 'metadata.ownerReferences', 'status', 'other'].filter(
    (field) => !read.some((one) => one.startsWith(field)),
  );
}

/** A copy in which a field has another value. */
function withField(before: KubeObject, field: string, value: unknown): KubeObject {
  const [first = '', second] = field.split('.');
  if (second === undefined) return { ...before, [first]: value };
  return { ...before, metadata: { ...before.metadata, [second]: value } };
}

/**
 * Whether a field that is named in Kubernetes' own form (`spec.taints[0].key`, `metadata.labels[example.io/team]`) is there
 * in an object, or could be: what holds it is there, and only the last step is missing.
 */
const names = (field: string, object: unknown): boolean => leadsOn(`.${field}`, object);

/** A key may stand after a dot or in brackets, and may have dots and brackets in it: whatever fits is tried. */
function leadsOn(rest: string, value: unknown): boolean {
  if (rest === '') return true;
  if (typeof value !== 'object' || value === null) return false;
  if (/^(\.[^.[]+|\[.*\])$/.test(rest)) return true;
  return Object.entries(value).some(([key, inner]) =>
    [`.${key}`, `[${key}]`].some((step) => rest.startsWith(step) && leadsOn(rest.slice(step.length), inner)),
  );
}
