import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { openAuthority } from '../../hack/controlplane/pki.ts';
import { until } from '../../hack/lib/until.ts';
import { webhookApp } from '../../test/admission/app.ts';
import type { Pair } from '../certificate/keypair.ts';
import type { Client } from './lanes.ts';
import { authority, leaf, start } from './tlslistener.fixture.ts';
import type { Listener } from './tlslistener.ts';

// hack/decisions/0028 W6

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [ours, theirs] = await Promise.all(['ours', 'theirs'].map((name) => openAuthority(folder, name)));
if (!ours || !theirs) throw new Error('no authorities');
const [apiserver, stranger, server] = await Promise.all([
  ours.issue({ commonName: 'kube-apiserver' }),
  theirs.issue({ commonName: 'kube-apiserver' }),
  leaf(),
]);
const trustingOurs = { ...server, clientAuthorities: ours.ca };
const tell = (_request: Request, { trusted }: Client) => new Response(String(trusted));

/** A connection with a client's certificate, and what it answers to one request. */
function open({ port }: Listener, pair: Partial<Pair> = {}) {
  const socket = connect({ port, host: '127.0.0.1', ca: authority.cert, ...pair });
  const closed = new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve()));
  const ask = async (): Promise<string> => {
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    return (await Promise.race([answer, closed]))?.split('\r\n\r\n')[1] ?? 'closed';
  };
  return { socket, closed, ask };
}

test.each<[string, Partial<Pair>, string]>([
  ['of the authority', apiserver, 'true'],
  ['of another authority of the same name', stranger, 'false'],
  ['for servers', server, 'false'],
  ['that is missing', {}, 'false'],
])('a client with a certificate %s is told as such', async (_what, pair, trusted) => {
  const listener = await start(tell, { credentials: trustingOurs });
  const { socket, ask } = open(listener, pair);
  expect(await ask()).toBe(trusted);
  socket.destroy();
});

test('nobody is trusted where no authority is known', async () => {
  const listener = await start(tell);
  const { socket, ask } = open(listener, apiserver);
  expect(await ask()).toBe('false');
  socket.destroy();
});

test('other authorities hold for new connections at once, and end the old ones', async () => {
  const clock = new FakeClock();
  const listener = await start(tell, { credentials: trustingOurs, clock });
  const before = open(listener, apiserver);
  expect(await before.ask()).toBe('true');
  listener.exchange(trustingOurs);
  await clock.advance(5_000);
  expect(await before.ask()).toBe('true');
  listener.exchange({ ...server, clientAuthorities: theirs.ca });
  const [old, now] = [open(listener, apiserver), open(listener, stranger)];
  expect([await old.ask(), await now.ask()]).toEqual(['false', 'true']);
  await clock.advance(2_000);
  await before.closed;
  for (const { socket } of [old, now]) socket.destroy();
});

test('reviews are for trusted clients alone; whether it is well, and metrics, are for all', async () => {
  const { app } = webhookApp(undefined, undefined, { trustedOnly: true });
  const listener = await start(app.fetch, { credentials: trustingOurs });
  const call = async (path: string, pair: Partial<Pair>, method = 'GET') => {
    const body = method === 'POST' ? { body: '{}' } : {};
    const tls = { ca: authority.cert, ...pair };
    return (await fetch(`https://127.0.0.1:${listener.port}${path}`, { method, ...body, tls, keepalive: false }))
      .status;
  };
  for (const path of ['/validate', '/mutate']) {
    expect(await call(path, apiserver, 'POST')).toBe(400);
    expect(await call(path, stranger, 'POST')).toBe(401);
    expect(await call(path, {}, 'POST')).toBe(401);
  }
  for (const path of ['/healthz', '/readyz', '/metrics']) expect(await call(path, {})).toBe(200);
  await until('the connections to end', () => listener.busy === 0, { timeoutMs: 5_000 });
});
