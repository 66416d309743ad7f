import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import type { Clock } from '../clock.ts';
import { nodes } from '../k8s/core.ts';
import { CacheRoom } from '../memory/cacheroom.ts';
import { turnUntil } from '../server.fake.ts';
import { Api } from './api.ts';
import { noCredentials } from './connection.ts';

// hack/decisions/0028 T92

/** Lets what is read be handled. */
const turns = async () => {
  let left = 20;
  await turnUntil(() => left-- <= 0);
};

/** How many of ten lines are read at once, each of which takes a quarter of a second of the event loop, and how many in the end. */
async function read(isTrusted: boolean): Promise<[atOnce: number, inTheEnd: number]> {
  const clock = new FakeClock();
  let spent = 0;
  const monotonic = () => clock.monotonic() + spent;
  const line = (version: number) =>
    `${JSON.stringify({ type: 'MODIFIED', object: { metadata: { name: 'n', resourceVersion: `${version}` } } })}\n`;
  const body = Array.from({ length: 10 }, (_, version) => line(version + 1)).join('');
  const connection = { server: 'https://t', credentials: noCredentials, send: async () => new Response(body) };
  const room = new CacheRoom({ all: 1 << 30, each: 1 << 30, shared: false }).open('herd');
  const ticking: Clock = {
    monotonic,
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  const api = new Api({ connection, clock: ticking, ...(!isTrusted && { room }) });
  let count = 0;
  const reader = async () => {
    const options = { signal: new AbortController().signal, resourceVersion: '1', timeoutSeconds: 60 };
    for await (const _ of api.watch(nodes, options)) {
      count += 1;
      spent += 250;
    }
  };
  const reading = reader();
  await turns();
  const atOnce = count;
  for (let second = 0; second < 60; second++) {
    await clock.advance(1_000);
    await turns();
  }
  await reading;
  return [atOnce, count];
}

test('lines of a server that is not trusted, and that take long, are read more slowly, and all of them', async () => {
  expect(await read(true)).toEqual([10, 10]);
  expect(await read(false)).toEqual([5, 10]);
});
