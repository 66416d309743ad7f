import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { OPERATOR, webhookApp } from '../../test/admission/app.ts';
import { type Asked, answerTo, reviewOf, UID } from '../../test/admission/review.ts';
import type { Answer } from '../admission/response.ts';
import { MOST_BODY_BYTES } from './server.ts';

const labels = { app: 'herd' };
const inline = { provider: 'virtual', providerSpec: {} };
const machine = (metadata: object = {}, spec: unknown = inline) =>
  ({ apiVersion, kind: 'Machine', metadata: { name: 'one', namespace: 'west', ...metadata }, spec }) as KubeObject;
const set = (spec: unknown) => ({ apiVersion, kind: 'MachineSet', metadata: { name: 'set' }, spec }) as KubeObject;

const post = (body: string, path = '/validate') => webhookApp().app.request(path, { method: 'POST', body });

describe('a body without a uid to answer to is refused with a sentence', () => {
  const review = reviewOf({ now: machine() });
  test.each<[string, unknown, string]>([
    ['no JSON', 'hello', 'The body is not JSON.'],
    ['nothing', '', 'The body is not JSON.'],
    ['a list', [], 'This is no AdmissionReview of admission.k8s.io/v1'],
    ['null', null, 'This is no AdmissionReview of admission.k8s.io/v1'],
    ['another version', { ...review, apiVersion: 'admission.k8s.io/v1beta1' }, 'apiVersion'],
    ['another kind', { ...review, kind: 'TokenReview' }, 'kind'],
    ['no request', { ...review, request: undefined }, 'request'],
    ['no uid', { ...review, request: { ...review.request, uid: undefined } }, 'uid'],
    ['an empty uid', { ...review, request: { ...review.request, uid: '' } }, 'request.uid: must not be empty'],
  ])('%s', async (_what, body, says) => {
    const response = await post(typeof body === 'string' ? body : JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(says);
  });

  test('JSON that is nested beyond measure', async () => {
    expect((await post('['.repeat(200_000))).status).toBe(400);
  });
});

test.each(['/validate', '/mutate'])('a body that is too large is refused by %s', async (path) => {
  const response = await post('x'.repeat(MOST_BODY_BYTES + 1), path);
  expect(response.status).toBe(413);
  expect(await response.text()).toBe('The body is larger than 7340032 bytes.');
});

test('a review with two objects of 3 MB is judged', async () => {
  const annotations = { note: 'x'.repeat(3_000_000) };
  const { app } = webhookApp();
  const asked = {
    now: machine({ annotations, labels }),
    before: machine({ annotations }),
  };
  expect(await answerTo(app, '/validate', asked)).toEqual({ allowed: true });
});

describe('a request with a uid is answered with it, whatever else is wrong', () => {
  const { request } = reviewOf({ now: machine() });
  test.each<[string, object, string]>([
    ['without operation', { ...request, operation: undefined }, 'operation'],
    ['without object', { ...request, object: null }, 'a CREATE or UPDATE comes with an object'],
    ['without oldObject', { ...request, operation: 'UPDATE' }, 'an UPDATE comes with an oldObject'],
    ['without user', { ...request, userInfo: undefined }, 'userInfo'],
    ['with an object that is a list', { ...request, object: [] }, 'object: must be an object with metadata'],
    ['with an object without metadata', { ...request, object: {} }, 'object: must be an object with metadata'],
    ['without kind', { ...request, kind: 'Machine' }, 'kind'],
  ])('%s', async (_what, broken, says) => {
    const response = await post(JSON.stringify({ ...reviewOf({ now: machine() }), request: broken }));
    expect(response.status).toBe(200);
    const body = (await response.json()) as {
      response: { uid: string; allowed: boolean; status: { message: string } };
    };
    expect(body.response).toMatchObject({ uid: UID, allowed: false, status: { code: 400, reason: 'BadRequest' } });
    expect(body.response.status.message).toContain(says);
  });
});

describe('what is let through unseen', () => {
  const broken = set({ selector: {} });
  const old = { apiVersion, kind: 'MachineSet', metadata: { name: 'set' } };
  const deleted = { ...old, metadata: { name: 'set', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  test.each<[string, Asked]>([
    ['a deletion', { now: null, before: old, operation: 'DELETE' }],
    ['a connection', { now: broken, operation: 'CONNECT' }],
    ['an object that is being deleted', { now: broken, before: deleted }],
    ['a write to status', { now: broken, before: old, subResource: 'status' }],
    ['a kind of another group', { now: { ...old, apiVersion: 'apps/v1' } }],
  ])('%s', async (_what, asked) => {
    const { app } = webhookApp();
    expect(await answerTo(app, '/validate', asked)).toEqual({ allowed: true });
    expect(await answerTo(app, '/mutate', asked)).toEqual({ allowed: true });
  });
});

test('a kind of ours without a table is refused: an old webhook must not wave through what a new one would refuse', async () => {
  const { app, log } = webhookApp();
  const now = { apiVersion, kind: 'MachinePool', metadata: { name: 'new' } };
  expect(await answerTo(app, '/validate', { now })).toMatchObject({
    allowed: false,
    status: { code: 500, message: expect.stringContaining('no rules for kind MachinePool') },
  });
  expect(log.lines.map(({ message }) => message)).toEqual(['a request could not be judged']);
});

test('a status of a kind without a table goes on all the same: nothing may wait for the webhook there', async () => {
  const { app, log } = webhookApp();
  const now = { apiVersion, kind: 'MachinePool', metadata: { name: 'new' } };
  const asked = { now, before: now, subResource: 'status' };
  expect(await answerTo(app, '/mutate', asked)).toEqual({ allowed: true });
  expect(log.lines.map(({ message }) => message)).toEqual(['what a client dropped could not be kept']);
});

test('an object on which a rule stumbles is refused for its shape', async () => {
  const { app } = webhookApp();
  const answer = await answerTo(app, '/validate', { now: set({ selector: { matchExpressions: [null] } }) });
  expect(answer).toMatchObject({ allowed: false, status: { code: 422, reason: 'Invalid' } });
  expect(answer.status?.details?.causes.map(({ field }) => field)).toEqual(['spec.selector.matchExpressions[0]']);
});

// hack/decisions/0028 W1
test.each([10_000, 100_000])('an object of %p levels is judged, or refused for them', async (levels) => {
  const nested = (bottom: string) => `${'{"a":'.repeat(levels)}"${bottom}"${'}'.repeat(levels)}`;
  const now = { ...machine(), provider: 'aws', spec: { provider: 'aws', providerSpec: 'NOW' } };
  const before = { ...now, spec: { provider: 'aws', providerSpec: 'BEFORE' } };
  for (const path of ['/validate', '/mutate']) {
    const review = JSON.stringify(reviewOf({ now, before }));
    const response = await post(review.replace('"NOW"', nested('x')).replace('"BEFORE"', nested('y')), path);
    const { response: answer } = (await response.json()) as { response: Answer };
    expect([undefined, 400, 422]).toContain(answer.status?.code);
  }
});

describe('protected keys', () => {
  const key = 'protected.drover.dev/reconcile-priority';
  const now = machine({ annotations: { [key]: '5' } });

  test('alone make the answer Forbidden, with other findings it is Invalid; the audit log gets the rules', async () => {
    const { app } = webhookApp();
    expect(await answerTo(app, '/validate', { now })).toMatchObject({
      status: { code: 403, reason: 'Forbidden' },
      auditAnnotations: { 'refused-by': 'protected-priority' },
    });
    const worse = machine({ annotations: { [key]: 'high' } });
    expect(await answerTo(app, '/validate', { now: worse })).toMatchObject({
      status: { code: 422, reason: 'Invalid' },
      auditAnnotations: { 'refused-by': 'priority-in-range,protected-priority' },
    });
  });

  test('are asked about once a request, and only when one is touched', async () => {
    let asked = 0;
    const { app } = webhookApp(async () => Boolean(++asked));
    const both = machine({ annotations: { [key]: '5', 'a.protected/b': 'c' }, labels: { 'a.protected/d': 'e' } });
    await answerTo(app, '/validate', { now: both, user: OPERATOR });
    expect(asked).toBe(1);
    await answerTo(app, '/validate', { now: machine(), user: OPERATOR });
    await answerTo(app, '/validate', { now: both, before: both, user: OPERATOR });
    expect(asked).toBe(1);
  });

  test('are refused, with the reason, when the API server does not say who may', async () => {
    const { app } = webhookApp(() => Promise.reject(new Error('connection refused')));
    const answer = await answerTo(app, '/validate', { now, user: OPERATOR });
    expect(answer.allowed).toBe(false);
    expect(answer.status?.message).toContain('could not be found out (connection refused); try again');
  });
});

test('keys of the prototype are keys like any other', async () => {
  const body = JSON.stringify(
    reviewOf({ now: machine({ annotations: { marker: 'x' }, labels: { constructor: 'a' } }) }),
  );
  const response = await post(
    body.replace('"marker"', '"__proto__"').replace('"spec":{', '"__proto__":{"spec":{"selector":{}}},"spec":{'),
  );
  expect(await response.json()).toMatchObject({ response: { uid: UID, allowed: true } });
  expect(({} as Record<string, unknown>)['spec']).toBeUndefined();
});

test('health, readiness and metrics are served, and what is no endpoint is not', async () => {
  const { app } = webhookApp();
  await answerTo(app, '/validate', { now: set({ selector: {} }) });
  expect(await (await app.request('/healthz')).text()).toBe('ok');
  expect(await (await app.request('/readyz')).text()).toBe('ok');
  const metrics = await (await app.request('/metrics')).text();
  expect(metrics).toContain(
    'drover_webhook_reviews_total{path="/validate",kind="MachineSet",operation="CREATE",verdict="refused"} 1',
  );
  expect(metrics).toContain('drover_webhook_findings_total{rule="selector-not-empty",level="deny"} 1');
  expect((await app.request('/validate')).status).toBe(404);
});

describe('whatever comes, the answer is a verdict or a 4xx', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const paths = fc.constantFrom('/validate', '/mutate');
  const { app } = webhookApp();

  test('for any JSON at all', async () => {
    await fc.assert(
      fc.asyncProperty(json, paths, async (body, path) => {
        expect((await app.request(path, { method: 'POST', body: JSON.stringify(body) })).status).toBe(400);
      }),
    );
  });

  test('for reviews of objects of any shape', async () => {
    const part = fc.oneof(json, fc.record({ matchLabels: json, matchExpressions: json, metadata: json, labels: json }));
    const spec = fc.oneof(
      json,
      fc.record({ selector: part, template: part, strategy: part, replicas: json, providerID: json }),
    );
    const metadata = fc.record({ name: json, labels: json, annotations: json });
    const object = fc.record({
      apiVersion: fc.constant(apiVersion),
      kind: fc.constantFrom('Machine', 'MachineSet', 'MachineDeployment', 'MachineClass'),
      metadata,
      spec,
    });
    await fc.assert(
      fc.asyncProperty(object, fc.option(object), paths, async (now, before, path) => {
        const asked = { now, ...(before ? { before: { ...before, kind: now.kind } } : {}) } as Asked;
        expect(typeof (await answerTo(app, path, asked)).allowed).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });
});
