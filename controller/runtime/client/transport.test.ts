import { describe, expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { FakeClock } from '../clock.fake.ts';
import { configMaps, nodes } from '../k8s/core.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { type Answer, FakeServer, FakeStream, hang, json, status, turnUntil } from '../server.fake.ts';
import { Api } from './api.ts';
import { type Connection, noCredentials } from './connection.ts';
import { errorOf } from './errors.fixture.ts';
import { isUnanswered } from './errors.ts';
import { apiMetrics } from './transport.ts';

const ref = { namespace: 'farm', name: 'dolly' };
const sheep = { metadata: ref };
const found = json(sheep);

interface Scene extends Disposable {
  server: FakeServer;
  clock: FakeClock;
  api: Api;
}

function scene(...script: Answer[]): Scene {
  const server = new FakeServer(...script);
  const clock = new FakeClock();
  const api = new Api({ connection: server.connection, clock });
  return { server, clock, api, [Symbol.dispose]: () => server[Symbol.dispose]() };
}

describe('a refusal', () => {
  test('is an error with the Status, saying what was tried on what', async () => {
    const details = { name: 'dolly', kind: 'configmaps', causes: [{ field: 'data.wool', message: 'is blue' }] };
    const body = { kind: 'Status', code: 422, reason: 'Invalid', message: 'wool is wrong', details };
    using here = scene(json(body, { status: 422 }));
    const error = await errorOf(
      here.api.patch(configMaps, ref, { type: 'merge', body: {} }, { subresource: 'status' }),
    );
    expect(error).toMatchObject({
      message: 'patch configmaps/status farm/dolly: 422 Invalid: wool is wrong',
      status: 422,
      reason: 'Invalid',
      details,
      mayHaveActed: false,
    });
  });

  // hack/decisions/0028 W7: the server may be any that a tenant names
  test('without a Status gets the reason of its code and quotes nothing', async () => {
    using here = scene(
      () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
      () => new Response('', { status: 404 }),
    );
    expect(await errorOf(here.api.create(configMaps, sheep))).toMatchObject({
      message: 'create configmaps in farm: 502 Unknown',
      mayHaveActed: true,
    });
    expect(await errorOf(here.api.list(nodes))).toMatchObject({
      message: 'list nodes: 404 NotServed',
      reason: 'NotServed',
    });
  });

  test('is told in full at debug alone', async () => {
    using server = new FakeServer(() => new Response('db-password: hunter2', { status: 403 }));
    const log = new FakeLog();
    const api = new Api({ connection: server.connection, clock: new FakeClock(), log });
    expect(String(await errorOf(api.get(configMaps, ref)))).not.toContain('hunter2');
    expect(log.lines).toMatchObject([
      { level: 'debug', message: 'a call is refused', fields: { status: 403, answer: 'db-password: hunter2' } },
    ]);
  });

  test('is quoted to a bound, its reason only if it is one word', async () => {
    const body = { kind: 'Status', message: 'y'.repeat(30_000), reason: 'AKIA 1234' };
    using here = scene(json(body, { status: 403 }));
    const error = await errorOf(here.api.get(configMaps, ref));
    expect(error).toMatchObject({ reason: 'Forbidden', status: 403 });
    expect(String(error).length).toBeLessThan(1_200);
  });

  test('is read to a bound', async () => {
    using here = scene(() => new Response('x'.repeat(1 << 20), { status: 500 }));
    expect(await errorOf(here.api.get(configMaps, ref))).toMatchObject({ status: 500, reason: 'InternalError' });
  });

  test('may be a redirect, which is not followed', async () => {
    using here = scene(() => Response.redirect('http://127.0.0.1:1/elsewhere', 302));
    expect(await errorOf(here.api.get(configMaps, ref))).toMatchObject({ status: 302 });
  });
});

describe('a server that asks for patience', () => {
  const patient = { 'retry-after': '7' };

  test.each([
    ['a read, busy', 429, (api: Api) => api.get(configMaps, ref)],
    ['a create, busy', 429, (api: Api) => api.create(configMaps, sheep)],
    ['a read, unavailable', 503, (api: Api) => api.get(configMaps, ref)],
    ['a merge patch, unavailable', 503, (api: Api) => api.patch(configMaps, ref, { type: 'merge', body: {} })],
  ] as const)('is asked again after that time: %s', async (_what, code, call) => {
    using here = scene(status(code, 'Busy', patient), found);
    const answer = call(here.api);
    await turnUntil(() => here.clock.pending === 2);
    await here.clock.advance(6_999);
    expect(here.server.received.length).toBe(1);
    await here.clock.advance(1);
    expect<unknown>(await answer).toEqual(sheep);
    expect(here.clock.pending).toBe(0);
  });

  test('is asked again at the date that it names', async () => {
    using here = scene(status(429, 'Busy', { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }), found);
    const answer = here.api.get(configMaps, ref);
    await turnUntil(() => here.clock.pending === 2);
    await here.clock.advance(5_000);
    await answer;
  });

  test.each([
    ['a create that may have been done', 503, patient, (api: Api) => api.create(configMaps, sheep)],
    [
      'a JSON patch that may have been done',
      503,
      patient,
      (api: Api) => api.patch(configMaps, ref, { type: 'json', body: [] }),
    ],
    ['no time named', 429, {}, (api: Api) => api.get(configMaps, ref)],
    ['a time beyond the deadline', 429, { 'retry-after': '30' }, (api: Api) => api.get(configMaps, ref)],
    ['another refusal', 500, patient, (api: Api) => api.get(configMaps, ref)],
  ] as const)('is not asked again: %s', async (_what, code, headers, call) => {
    using here = scene(status(code, 'Busy', headers));
    expect(await errorOf(call(here.api))).toMatchObject({ status: code, reason: 'Busy' });
    expect(here.server.received.length).toBe(1);
  });

  test('is asked five times at most, and the error says how long it wants to be left alone', async () => {
    using here = scene(...Array.from({ length: 9 }, () => status(429, 'TooManyRequests', { 'retry-after': '1' })));
    const failed = errorOf(here.api.get(configMaps, ref));
    for (let tries = 1; tries < 5; tries++) {
      await turnUntil(() => here.server.received.length === tries && here.clock.pending === 2);
      await here.clock.advance(1_000);
    }
    expect(await failed).toMatchObject({ reason: 'TooManyRequests', retryAfterMs: 1_000 });
    expect(here.server.received.length).toBe(5);
  });
});

describe('credentials', () => {
  /** Tokens handed out one after the other, a new one after each refresh. */
  function rotating(server: FakeServer, ...tokens: string[]): Connection {
    const header = () => `Bearer ${tokens[0]}`;
    return { ...server.connection, credentials: { header, refresh: () => void tokens.shift() } };
  }

  test('that are refused are read anew, and the call is made once more', async () => {
    using server = new FakeServer(status(401, 'Unauthorized'), found);
    const api = new Api({ connection: rotating(server, 'old', 'new'), clock: new FakeClock() });
    expect<unknown>(await api.create(configMaps, sheep)).toEqual(sheep);
    expect(server.received.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer old', 'Bearer new']);
  });

  test('that are refused twice are an error', async () => {
    using server = new FakeServer(status(401, 'Unauthorized'), status(401, 'Unauthorized'), found);
    const api = new Api({ connection: rotating(server, 'old', 'new', 'newer'), clock: new FakeClock() });
    expect(await errorOf(api.get(configMaps, ref))).toMatchObject({ reason: 'Unauthorized' });
  });

  test('that cannot be had are an error, and nothing is sent', async () => {
    using server = new FakeServer();
    const header = () => Promise.reject(new Error('no such file'));
    const connection = { ...server.connection, credentials: { header, refresh: () => {} } };
    const error = await errorOf(new Api({ connection, clock: new FakeClock() }).get(configMaps, ref));
    expect(error).toMatchObject({
      message: 'get configmaps farm/dolly: no credentials: no such file',
      mayHaveActed: false,
    });
    expect(server.received).toEqual([]);
  });
});

describe('an answer that does not come', () => {
  test('for want of credentials is an error at the deadline', async () => {
    const clock = new FakeClock();
    const credentials = { header: () => new Promise<string>(() => {}), refresh: () => {} };
    const failed = errorOf(new Api({ connection: { server: 'http://127.0.0.1:1', credentials }, clock }).list(nodes));
    await clock.advance(60_000);
    expect(await failed).toMatchObject({ message: 'list nodes: no answer within 60 s', mayHaveActed: false });
  });

  test.each([
    ['none at all', hang],
    ['half of it', new FakeStream().answer],
  ] as const)('is an error at the deadline: %s', async (_what, answer) => {
    using here = scene(answer);
    const failed = errorOf(here.api.create(configMaps, sheep));
    await turnUntil(() => here.server.received.length === 1);
    await here.clock.advance(30_000);
    expect(await failed).toMatchObject({
      message: 'create configmaps in farm: no answer within 30 s',
      status: 0,
      reason: 'DeadlineExceeded',
      mayHaveActed: true,
    });
  });

  test('because nobody listens: then nothing was done', async () => {
    const connection = { server: 'http://127.0.0.1:1', credentials: noCredentials };
    const api = new Api({ connection, clock: new FakeClock() });
    const error = await errorOf(api.create(configMaps, sheep));
    expect(error).toMatchObject({ status: 0, reason: 'NetworkError', mayHaveActed: false });
    expect(isUnanswered(error)).toBe(true);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each([
    ['create', true, (api: Api) => api.create(configMaps, sheep)],
    ['patch', true, (api: Api) => api.patch(configMaps, ref, { type: 'merge', body: {} })],
    ['get', false, (api: Api) => api.get(configMaps, ref)],
  ] as const)('because the connection broke: a %s may have been done is %p', async (_what, mayHaveActed, call) => {
    const data = (socket: Socket) => socket.terminate();
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } });
    const connection = { server: `http://127.0.0.1:${listener.port}`, credentials: noCredentials };
    const error = await errorOf(call(new Api({ connection, clock: new FakeClock() })));
    listener.stop(true);
    expect(error).toMatchObject({ status: 0, reason: 'NetworkError', mayHaveActed });
  });

  test('as JSON is an error', async () => {
    using here = scene(() => new Response('{"half":'));
    expect(await errorOf(here.api.get(configMaps, ref))).toMatchObject({ reason: 'NetworkError' });
  });
});

describe('a signal', () => {
  test('ends a call with its own reason, wherever the call is', async () => {
    using here = scene(hang, status(429, 'Busy', { 'retry-after': '5' }));
    for (const pending of [1, 2]) {
      const stop = new AbortController();
      const call = here.api.get(configMaps, ref, { signal: stop.signal });
      await turnUntil(() => here.server.received.length === pending && here.clock.pending === pending);
      stop.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      expect(here.clock.pending).toBe(0);
    }
  });

  test('ends the wait for the limiter', async () => {
    using server = new FakeServer();
    const limiter = { take: (signal?: AbortSignal) => Promise.reject(signal?.reason) };
    const api = new Api({ connection: server.connection, clock: new FakeClock(), limiter });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(api.get(configMaps, ref, { signal })).rejects.toThrow('enough');
    expect(server.received).toEqual([]);
  });
});

test('each request passes the limiter and is measured, a repeated one too', async () => {
  using server = new FakeServer(status(429, 'Busy', { 'retry-after': '1' }), found);
  const clock = new FakeClock();
  let taken = 0;
  const limiter = { take: async () => void taken++ };
  const metrics = createMetrics({ tables: [apiMetrics] });
  const answer = new Api({ connection: server.connection, clock, limiter, metrics }).get(configMaps, ref);
  await turnUntil(() => clock.pending === 2);
  await clock.advance(1_000);
  await answer;
  const { server: base } = server.connection;
  const text = await metrics.text();
  expect(taken).toBe(2);
  for (const code of [200, 429]) {
    expect(text).toContain(`rest_client_requests_total{code="${code}",method="GET",host="${new URL(base).host}"} 1`);
  }
  const url = '/api/v1/namespaces/%7Bnamespace%7D/configmaps/%7Bname%7D';
  expect(text).toContain(`rest_client_request_latency_seconds_count{verb="GET",url="${url}"} 2`);
  expect(text).not.toContain('drover_metrics_errors_total{');
});
