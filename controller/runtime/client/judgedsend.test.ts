import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { type Authority, openAuthority } from '../../../hack/controlplane/pki.ts';
import { FakeClock } from '../clock.fake.ts';
import { trustIn } from '../dns/embedded.ts';
import type { Tls } from './connection.ts';
import { type Judging, judgedSend } from './judgedsend.ts';
import { environmentProxies } from './proxies.ts';

// hack/decisions/0028 W7

const folder = mkdtempSync(join(tmpdir(), 'judgedsend-'));
const servers: Server[] = [];
let authority: Authority;
let client: { cert: string; key: string };
let port: number;

/** Answers who called, and by which name. */
async function apiServer(hosts: readonly string[]): Promise<number> {
  const pair = await authority.issue({ commonName: 'server', hosts });
  const options = { ...pair, ca: authority.ca, requestCert: true, rejectUnauthorized: false };
  return listen(
    createTlsServer(options, (socket: TLSSocket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        const [, host] = /^host: (.*)\r$/im.exec(data.toString()) ?? [];
        const who = socket.getPeerCertificate()?.subject?.CN ?? 'nobody';
        const body = `${who} asked ${host} by ${socket.servername}`;
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    }),
  );
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  return (server.address() as AddressInfo).port;
}

/** A proxy for CONNECT that remembers where it was sent, and connects to this machine whatever the name. */
async function proxy(): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const [, to = '', at = ''] = /^CONNECT (.+):(\d+) /.exec(head.toString()) ?? [];
      asked.push(to);
      const beyond = connect(Number(at), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(beyond).pipe(socket);
      });
      beyond.on('error', () => socket.destroy());
    });
  });
  return { port: await listen(server), asked };
}

beforeAll(async () => {
  authority = await openAuthority(folder, 'judgedsend');
  client = await authority.issue({ commonName: 'jane' });
  port = await apiServer(['api.example']);
});

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

/** Addresses of this machine are trusted unless something else is said: tests have no others. */
function scene({
  addresses = [['127.0.0.1']],
  trusted = ['127.0.0.0/8'],
  env = {},
}: {
  addresses?: string[][];
  trusted?: string[];
  env?: Record<string, string>;
}) {
  const clock = new FakeClock();
  const names: string[] = [];
  const resolve: Judging['resolve'] = async (name) => {
    names.push(name);
    return addresses[Math.min(names.length, addresses.length) - 1] ?? [];
  };
  return { clock, names, judging: { clock, resolve, trust: trustIn(trusted), proxies: environmentProxies(env) } };
}

const get = async (
  judging: Judging,
  { tls = {}, via, host = 'api.example' }: { tls?: Tls; via?: string; host?: string },
) =>
  (
    await judgedSend(judging, via)(`https://${host}:${port}/version`, {
      headers: {},
      tls: { ca: authority.ca, ...tls },
    })
  ).text();

describe('a name', () => {
  test('is resolved here; the connection goes to its address, and TLS and HTTP speak of the name', async () => {
    const { judging, names } = scene({});
    expect(await get(judging, {})).toBe(`nobody asked api.example:${port} by api.example`);
    expect(await get(judging, { tls: client })).toBe(`jane asked api.example:${port} by api.example`);
    expect(names).toEqual(['api.example', 'api.example']);
  });

  test('must be that of the certificate', async () => {
    const { judging } = scene({});
    await expect(get(judging, { host: 'other.example' })).rejects.toThrow('CERT');
    expect(await get(judging, { host: 'other.example', tls: { serverName: 'api.example' } })).toContain(
      'by api.example',
    );
  });

  test('with a refused address is not called, be there good ones beside', async () => {
    const { judging } = scene({ addresses: [['192.0.2.1', '127.0.0.1']], trusted: [] });
    await expect(get(judging, {})).rejects.toThrow(
      'api.example has the address 127.0.0.1, which is a loopback address: no Cluster may lead there',
    );
  });

  test('that comes to have another address (DNS rebinding) is judged again before it is called there', async () => {
    const { judging, clock, names } = scene({ addresses: [['127.0.0.1'], ['169.254.169.254']] });
    const send = judgedSend(judging);
    const call = async () =>
      (await send(`https://api.example:${port}/`, { headers: {}, tls: { ca: authority.ca } })).status;
    expect(await call()).toBe(200);
    expect(await call()).toBe(200);
    expect(names).toHaveLength(1);
    await clock.advance(10_000);
    await expect(call()).rejects.toThrow('has the address 169.254.169.254, which is a link-local address');
  });

  test('of which one address does not answer is called at the next one', async () => {
    const { judging } = scene({ addresses: [['127.0.0.9', '127.0.0.1']] });
    const send = judgedSend(judging);
    const call = () => send(`https://api.example:${port}/`, { headers: {}, tls: { ca: authority.ca } });
    await expect(call()).rejects.toThrow();
    expect((await call()).status).toBe(200);
  });

  test('that the operator vouches for is not judged', async () => {
    const { judging, names } = scene({ trusted: ['localhost'] });
    expect(await get(judging, { host: 'localhost', tls: { serverName: 'api.example' } })).toContain('by api.example');
    expect(names).toEqual([]);
  });

  // hack/decisions/0028 T17: whoever makes Clusters chooses such names, and fetch would take a thread for each.
  test('below a suffix that the operator vouches for is resolved here, and not judged', async () => {
    const { judging, names } = scene({ trusted: ['.example'] });
    expect(await get(judging, {})).toBe(`nobody asked api.example:${port} by api.example`);
    expect(names).toEqual(['api.example']);
  });

  test('whose resolver hangs is given up with the call', async () => {
    const { judging } = scene({});
    const send = judgedSend({ ...judging, resolve: () => new Promise(() => {}) });
    await expect(send('https://api.example/', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
  });
});

test('an address is judged as it stands', async () => {
  const { judging } = scene({ trusted: [] });
  await expect(get(judging, { host: '127.0.0.1' })).rejects.toThrow('127.0.0.1 is a loopback address: no Cluster');
});

// hack/decisions/0028 R10
describe('with a proxy', () => {
  test('the server is reached through it, with its CA and a client certificate', async () => {
    const { judging, names } = scene({});
    const through = await proxy();
    expect(await get(judging, { tls: client, via: `http://proxy.example:${through.port}` })).toBe(
      `jane asked api.example:${port} by api.example`,
    );
    expect(through.asked).toEqual(['api.example']);
    expect(names).toEqual(['proxy.example']);
  });

  test('the proxy is judged as a server is', async () => {
    const { judging } = scene({ trusted: [] });
    await expect(get(judging, { via: 'http://proxy.example:3128' })).rejects.toThrow(
      'proxy.example has the address 127.0.0.1',
    );
  });
});

// hack/decisions/0028 M10: the environment of the process, which Bun itself would apply to the address.
describe('with a proxy of the environment', () => {
  const NAMES = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'];
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  const outside = { HTTPS_PROXY: '', https_proxy: '', no_proxy: '', NO_PROXY: '' };

  /** As if the process had been started with it. */
  function set(given: Record<string, string>) {
    const env = { ...outside, ...given };
    Object.assign(process.env, env);
    return env;
  }

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('a server is reached through it, at the address that was judged', async () => {
    const through = await proxy();
    const { judging } = scene({ env: set({ HTTPS_PROXY: `http://127.0.0.1:${through.port}` }) });
    expect(await get(judging, { tls: client })).toBe(`jane asked api.example:${port} by api.example`);
    expect(through.asked).toEqual(['127.0.0.1']);
  });

  test('a name below a suffix that the operator vouches for is left to it', async () => {
    const through = await proxy();
    const env = set({ HTTPS_PROXY: `http://127.0.0.1:${through.port}` });
    const { judging, names } = scene({ env, trusted: ['.example'] });
    expect(await get(judging, {})).toContain('nobody asked');
    expect([through.asked, names]).toEqual([['api.example'], []]);
  });

  test.each(['api.example', '.example', 'example', '*'])('NO_PROXY=%s spares it by its name', async (exceptions) => {
    const through = await proxy();
    const env = set({ HTTPS_PROXY: `http://127.0.0.1:${through.port}`, NO_PROXY: exceptions });
    const { judging } = scene({ env });
    expect(await get(judging, {})).toBe(`nobody asked api.example:${port} by api.example`);
    expect(through.asked).toEqual([]);
  });

  test('NO_PROXY that names the address leaves a name to it, as Go does', async () => {
    const through = await proxy();
    const env = set({ HTTPS_PROXY: `http://127.0.0.1:${through.port}`, NO_PROXY: '127.0.0.1,127.0.0.0/8' });
    expect(await get(scene({ env }).judging, {})).toContain('nobody asked');
    expect(through.asked).toEqual(['127.0.0.1']);
  });

  test('that of the kubeconfig is taken all the same, and NO_PROXY leads around it to nobody whom nobody judged', async () => {
    const [through, other] = [await proxy(), await proxy()];
    const env = set({ HTTPS_PROXY: `http://127.0.0.1:${other.port}`, NO_PROXY: 'localhost,.example' });
    const { judging } = scene({ env, trusted: ['127.0.0.1'] });
    const via = `http://proxy.example:${through.port}`;
    expect(await get(judging, { via })).toContain('nobody asked');
    await get(judging, { via, host: 'localhost', tls: { serverName: 'api.example' } });
    expect([through.asked, other.asked]).toEqual([['api.example', 'localhost'], []]);
  });
});
