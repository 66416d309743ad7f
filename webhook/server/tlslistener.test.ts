import { describe, expect, test } from 'bun:test';
import { connect } from 'node:tls';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { systemClock } from '../../controller/runtime/clock.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { until } from '../../hack/lib/until.ts';
import { ask, authority, echo, leaf, metrics, start } from './tlslistener.fixture.ts';
import { type Listener, listen } from './tlslistener.ts';

/** The names in the certificate that a new connection is shown. */
function namesShown({ port }: Listener): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', ca: authority.cert }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? '');
      socket.end();
    }).on('error', reject);
  });
}

test('bodies arrive whole, also large ones', async () => {
  const listener = await start(echo);
  const body = 'x'.repeat(6 * 1024 * 1024);
  const answer = await (await ask(listener, { method: 'POST', body })).text();
  expect(answer.length).toBe(body.length);
});

test('a new certificate is shown to new connections', async () => {
  const listener = await start(echo);
  expect(await namesShown(listener)).toContain('localhost');
  listener.exchange(await leaf('renewed.example'));
  expect(await namesShown(listener)).toContain('renewed.example');
});

test('no request is dropped while the certificate is exchanged under load', async () => {
  const listener = await start(echo);
  const pairs = await Promise.all(Array.from({ length: 10 }, (_, index) => leaf(`leaf-${index}.example`)));
  let failed = 0;
  const client = async (keepalive: boolean): Promise<void> => {
    for (let turn = 0; turn < 150; turn++) {
      const answer = await ask(listener, { method: 'POST', body: `${turn}`, keepalive }).then((r) => r.text());
      if (answer !== `${turn}`) failed++;
      const pair = pairs[turn / 15];
      if (pair) listener.exchange(pair);
    }
  };
  await Promise.all([client(true), client(true), client(true), client(false), client(false)]);
  expect(failed).toBe(0);
});

describe('a client that takes too long', () => {
  const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n';

  /** A connection on which a test writes by hand. */
  function open({ port }: Listener) {
    const socket = connect({ port, host: '127.0.0.1', ca: authority.cert });
    const closed = new Promise<string>((resolve) => {
      let read = '';
      socket.on('data', (data) => {
        read += data;
      });
      socket.on('error', () => {}).on('close', () => resolve(read));
    });
    return { socket, closed };
  }

  test.each([
    ['is dropped while it trickles the headers', HEAD.slice(0, 20)],
    ['is dropped when the body never comes', HEAD],
    ['is dropped while it trickles the body', `${HEAD}ab`],
  ])('%s', async (_what, sent) => {
    const clock = new FakeClock();
    const listener = await start(echo, { clock });
    const { socket, closed } = open(listener);
    socket.write(sent);
    await until('the bytes to arrive', () => listener.busy > 0, { timeoutMs: 5_000, everyMs: 1 });
    await clock.advance(9_999);
    socket.write(sent.at(-1) ?? '');
    expect(listener.busy).toBe(1);
    await clock.advance(1_001);
    expect(await closed).toBe('');
    await listener.stop();
    expect(clock.pending).toBe(0);
  });

  test('has as long for each request on a connection', async () => {
    const clock = new FakeClock();
    const listener = await start(echo, { clock });
    const { socket, closed } = open(listener);
    for (let turn = 0; turn < 3; turn++) {
      const answered = new Promise((resolve) => socket.once('data', resolve));
      socket.write(HEAD);
      await until('the bytes to arrive', () => listener.busy > 0, { timeoutMs: 5_000, everyMs: 1 });
      await clock.advance(9_000);
      socket.write('hello');
      await answered;
      expect(listener.busy).toBe(0);
    }
    socket.end();
    expect((await closed).match(/hello/g)?.length).toBe(3);
  });
});

test('a stop lets the requests under way finish and takes no more', async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const listener = await start(async () => {
    arrived.resolve();
    await released.promise;
    return new Response('late, but there');
  });
  const answer = ask(listener).then((response) => response.text());
  await arrived.promise;
  const stopped = listener.stop();
  released.resolve();
  expect(await answer).toBe('late, but there');
  await stopped;
  await expect(ask(listener)).rejects.toThrow();
});

test('a stop waits for no connection on which nothing is asked', async () => {
  const clock = new FakeClock();
  const listener = await start(echo, { clock });
  const socket = connect({ port: listener.port, host: '127.0.0.1', ca: authority.cert });
  const answered = new Promise((resolve) => socket.once('data', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await answered;
  await listener.stop();
  await closed;
  expect(clock.now()).toBe(new FakeClock().now());
});

test('a port that is taken is an error that names it', async () => {
  const { port } = await start(echo);
  const parts = {
    clock: systemClock,
    log: new FakeLog(),
    metrics,
    address: '127.0.0.1',
    port,
    credentials: await leaf(),
  };
  await expect(listen({ ...parts, fetch: echo })).rejects.toThrow(`cannot listen on 127.0.0.1 port ${port}`);
});
