import { afterAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Server as HttpServer } from 'bun';
import { FakeClock } from '../clock.fake.ts';
import { trustIn } from '../dns/embedded.ts';
import { timeoutError } from './errors.ts';
import { judgedSend } from './judgedsend.ts';

// hack/decisions/0028 O22

const server: HttpServer<undefined> = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('ok') });
const silent: Server[] = [];
const held: Socket[] = [];
afterAll(() => {
  server.stop(true);
  for (const one of silent) one.close();
  for (const one of held) one.destroy();
});

const sendTo = (...addresses: string[]) =>
  judgedSend({
    clock: new FakeClock(),
    resolve: async () => addresses,
    trust: trustIn(['127.0.0.0/8']),
    proxies: () => undefined,
  });

test.each([1, 2, 3, 4])('%p who call at once find the address that lives, and stay there', async (callers) => {
  const send = sendTo('127.0.0.9', '127.0.0.1');
  const call = async () => (await send(`http://api.example:${server.port}/`, { headers: {} })).status;
  await Promise.allSettled(Array.from({ length: callers }, call));
  for (let round = 0; round < 3; round++)
    expect(await Promise.allSettled(Array.from({ length: callers }, call))).toEqual(
      Array(callers).fill({ status: 'fulfilled', value: 200 }),
    );
});

/** An address that takes connections, at the server's port, and says nothing. */
async function silentAddress(): Promise<{ address: string; called: () => Promise<unknown> }> {
  const listening = Promise.withResolvers<void>();
  const address = `127.0.0.${20 + silent.length}`;
  const one = createServer((socket) => held.push(socket));
  silent.push(one);
  one.listen(server.port, address, listening.resolve);
  await listening.promise;
  return { address, called: () => once(one, 'connection') };
}

test.each([
  ['for lack of an answer leads to the next address', timeoutError({ what: 'get', method: 'GET' }, 5), 200],
  ['for a reason of its caller says nothing of the address', new Error('enough'), undefined],
])('a call that was given up %s', async (_what, reason, status) => {
  const { address, called } = await silentAddress();
  const send = sendTo(address, '127.0.0.1');
  const url = `http://api.example:${server.port}/`;
  const given = [called(), new AbortController()] as const;
  const call = send(url, { headers: {}, signal: given[1].signal }).catch((error) => error);
  await given[0];
  given[1].abort(reason);
  expect(await call).toBe(reason);
  const again = new AbortController();
  const silence = called().then(() => again.abort());
  const next = send(url, { headers: {}, signal: again.signal }).then(
    (answer) => answer.status,
    () => undefined,
  );
  expect(await next).toBe(status);
  if (status === undefined) await silence;
});
