import { describe, expect, test } from 'bun:test';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { until } from '../../hack/lib/until.ts';
import { ask, authority, echo, metrics, start } from './tlslistener.fixture.ts';
import type { Listener } from './tlslistener.ts';

// hack/decisions/0028 W6
describe('of what the port has, an address', () => {
  const MIB = 1024 * 1024;
  const limits = { bytes: 10 * MIB, connections: 40 };

  /** A connection from one of the addresses of this machine, on which a test writes by hand. */
  function from(host: string, { port }: Listener) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: host, ca: authority.cert } as never);
    const opened = new Promise<void>((resolve) => socket.once('secureConnect', resolve));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.on('error', () => {});
    return { socket, opened, closed, answered };
  }

  const head = (bytes: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;
  const overloads = async (limit: string) =>
    Number(new RegExp(`overloads_total{limit="${limit}"} (\\d+)`).exec(await metrics.text())?.[1] ?? 0);

  test('is charged what it sends, not what it says that it will send', async () => {
    const listener = await start(echo);
    const idle = Array.from({ length: 134 }, () => from('127.0.0.2', listener));
    for (const { socket } of idle) socket.write(`${head(7 * MIB)}{`);
    await until('all to be in work', () => listener.busy === idle.length, { timeoutMs: 5_000, everyMs: 1 });
    expect(await (await ask(listener, { method: 'POST', body: 'x'.repeat(7 * MIB) })).text()).toHaveLength(7 * MIB);
    for (const { socket } of idle) socket.destroy();
  });

  test('has half of the bytes, and is told when to try again; the others have room meanwhile', async () => {
    const listener = await start(echo, { limits });
    const greedy = Array.from({ length: 6 }, () => from('127.0.0.2', listener));
    for (const { socket } of greedy) socket.write(head(4 * MIB) + 'x'.repeat(2 * MIB));
    const refused = await Promise.race(greedy.map(({ answered }) => answered));
    expect(refused).toStartWith('HTTP/1.1 429 Too Many Requests\r\n');
    expect(refused).toContain('\r\nRetry-After: 1\r\n');
    expect(refused).toEndWith('Too many requests are in work.');
    const body = 'x'.repeat(2 * MIB);
    expect(await (await ask(listener, { method: 'POST', body })).text()).toBe(body);
    for (const { socket } of greedy) socket.destroy();
  });

  test('gets back what it was charged as soon as an answer begins, or the connection ends', async () => {
    const listener = await start(echo, { limits });
    for (let turn = 0; turn < 10; turn++) {
      const { socket, opened } = from('127.0.0.1', listener);
      await opened;
      socket.write(head(4 * MIB) + 'x'.repeat(3 * MIB));
      await until('the bytes to arrive', () => listener.busy > 0, { timeoutMs: 5_000, everyMs: 1 });
      socket.destroy();
      await until('them to be forgotten', () => listener.busy === 0, { timeoutMs: 5_000, everyMs: 1 });
      expect(await (await ask(listener, { method: 'POST', body: 'x'.repeat(MIB) })).text()).toHaveLength(MIB);
    }
  });

  test('has half of the connections; others are let in', async () => {
    const listener = await start(echo, { limits });
    const before = await overloads('connections');
    const many = Array.from({ length: limits.connections / 2 + 3 }, () => plain('127.0.0.2', listener.port));
    await until('three to be cut off', async () => (await overloads('connections')) === before + 3, {
      timeoutMs: 5_000,
    });
    expect((await ask(listener)).status).toBe(200);
    for (const { socket } of many) socket.destroy();
    const isLetIn = async () => {
      const { answered, closed, socket } = from('127.0.0.2', listener);
      socket.write(head(0));
      return Promise.race([answered, closed]);
    };
    expect(await until('the ends of these to be noticed', isLetIn, { timeoutMs: 5_000 })).toStartWith('HTTP/1.1 200');
  });

  /** A connection that does not even begin its TLS handshake. */
  function plain(host: string, port: number) {
    const socket = connectPlain({ port, host: '127.0.0.1', localAddress: host });
    socket.on('error', () => {});
    return { socket };
  }

  test('is told to those who answer', async () => {
    const seen: string[] = [];
    const listener = await start((_request, { address, trusted }) => {
      seen.push(`${address} ${trusted}`);
      return new Response('');
    });
    for (const host of ['127.0.0.1', '127.0.0.2', '127.0.0.1']) {
      const { socket, answered } = from(host, listener);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await answered;
      socket.end();
    }
    expect(seen).toEqual(['127.0.0.1 false', '127.0.0.2 false', '127.0.0.1 false']);
  });
});

// hack/decisions/0028 W6
test('clients beyond those that can be told apart share one name', async () => {
  const seen = new Set<string>();
  const listener = await start((_request, { address }) => {
    seen.add(address);
    return new Response('');
  });
  const sockets = await Promise.all(
    Array.from({ length: 70 }, async (_, index) => {
      const options = {
        port: listener.port,
        host: '127.0.0.1',
        localAddress: `127.0.1.${index + 1}`,
        ca: authority.cert,
      };
      const socket = connect(options as never);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
      return socket;
    }),
  );
  expect(seen.size).toBe(65);
  expect(seen).toContain('others');
  for (const socket of sockets) socket.destroy();
  await until(
    'them to be gone',
    async () => {
      const socket = connect({
        port: listener.port,
        host: '127.0.0.1',
        localAddress: '127.0.2.1',
        ca: authority.cert,
      } as never);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
      return seen.has('127.0.2.1');
    },
    { timeoutMs: 5_000 },
  );
});

// hack/decisions/0028 W6
test('a client that never begins its handshake is cut off after 10 seconds', async () => {
  const clock = new FakeClock();
  const listener = await start(echo, { clock });
  const socket = connectPlain({ port: listener.port, host: '127.0.0.1' });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  expect((await ask(listener)).status).toBe(200);
  await clock.advance(10_000);
  expect(socket.destroyed).toBe(false);
  await clock.advance(1_000);
  await closed;
});
