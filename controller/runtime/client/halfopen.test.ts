import { afterEach, expect, test } from 'bun:test';
import { connect, createServer } from 'node:net';
import { LOCAL } from '../../../test/fixtures/local.ts';
import { systemClock as clock } from '../clock.ts';
import { configMaps } from '../k8s/core.ts';
import { lead } from '../leader/election.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { systemRandom as random } from '../random.ts';
import { Api } from './api.ts';
import { noCredentials } from './connection.ts';

/**
 * hack/decisions/0028 R6: a balancer that forgets its connections without a word leaves a pool of dead ones behind. Real
 * sockets, because what is tested is which connection Bun takes.
 */
const ref = { namespace: 'n', name: 'x' };
const ends: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** As much of an API server as a lease needs; it tells how often that was written. */
function apiServer() {
  let version = 1;
  let lease: object | undefined;
  const written = async (request: Request) => {
    const sent = (await request.json()) as { metadata: object };
    lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(++version) } };
    return Response.json(lease);
  };
  const absent = { kind: 'Status', code: 404, reason: 'NotFound', message: 'no' };
  const server = Bun.serve({
    ...LOCAL,
    fetch: (request) => {
      if (!request.url.includes('/leases')) return Response.json({ metadata: { ...ref, resourceVersion: '1' } });
      if (request.method !== 'GET') return written(request);
      return lease ? Response.json(lease) : Response.json(absent, { status: 404 });
    },
  });
  ends.push(() => server.stop(true));
  return { port: server.port ?? 0, renewals: () => version };
}

/** The server behind a balancer; `forget` makes every connection so far a dead one. */
async function behindBalancer() {
  const { port, renewals } = apiServer();
  const flows: Array<{ dead: boolean; end(): void }> = [];
  const balancer = createServer((client) => {
    const back = connect(port, '127.0.0.1');
    const flow = { dead: false, end: () => void [client, back].map((socket) => socket.destroy()) };
    flows.push(flow);
    client.on('data', (bytes) => flow.dead || back.write(bytes));
    back.on('data', (bytes) => flow.dead || client.write(bytes));
    for (const socket of [client, back]) socket.on('error', () => {}).on('close', () => flow.dead || flow.end());
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    balancer.close();
    for (const flow of flows) flow.end();
  });
  const { port: front } = balancer.address() as { port: number };
  const connection = { server: `http://127.0.0.1:${front}`, credentials: noCredentials };
  const forget = () => {
    for (const flow of flows) flow.dead = true;
  };
  return { connection, forget, renewals };
}

/** Fills the pool with so many connections. */
async function warm(api: Api, many = 20): Promise<void> {
  await Promise.all(Array.from({ length: many }, () => api.get(configMaps, ref)));
}

const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: Error) => error.message,
  );

test('a client with connections of its own takes no dead one from the pool', async () => {
  const { connection, forget } = await behindBalancer();
  await warm(new Api({ connection, clock }));
  const own = new Api({ connection, clock, ownConnections: true });
  forget();
  for (let calls = 0; calls < 8; calls++)
    expect(await outcome(own.get(configMaps, ref, { timeoutMs: 5_000 }))).toBe('answered');
});

test('after a call that got no answer the next ones go on connections of their own', async () => {
  const { connection, forget } = await behindBalancer();
  const api = new Api({ connection, clock });
  await warm(api);
  forget();
  expect(await outcome(api.get(configMaps, ref, { timeoutMs: 200 }))).toContain('no answer within');
  for (let calls = 0; calls < 8; calls++)
    expect(await outcome(api.get(configMaps, ref, { timeoutMs: 5_000 }))).toBe('answered');
});

test('a leader goes on, whatever the pool holds', async () => {
  const { connection, forget, renewals } = await behindBalancer();
  const times = { durationMs: 3_000, renewMs: 2_000, retryMs: 300 };
  const api = new Api({ connection, clock, ownConnections: true });
  const parts = { api, clock, random, log: new FakeLog(), signal: new AbortController().signal };
  const held = await lead({ ...parts, ...times, namespace: 'n', name: 'l', identity: 'me' });
  ends.push(() => held.release());
  await warm(new Api({ connection, clock }));
  forget();
  const before = renewals();
  while (renewals() < before + 3 && !held.signal.aborted) await clock.sleep(20);
  expect(held.signal.aborted).toBe(false);
});
