import { expect, test } from 'bun:test';
import { Hono } from 'hono';
import { FakeClock } from '../controller/runtime/clock.fake.ts';
import { createMetrics } from '../controller/runtime/metrics.ts';
import { intake, MOST_BYTES_IN_WORK } from './intake.ts';
import { webhookMetrics } from './metrics.ts';

/** Used to let promises settle. */
const clock = new FakeClock();
const MIB = 1024 * 1024;
const LARGE = 7 * MIB;

/** A server in which every call stays in work until it is released. */
function setUp() {
  const metrics = createMetrics({ tables: [webhookMetrics] });
  const held: Array<() => void> = [];
  const app = new Hono();
  app.post('/validate', intake({ metrics, unknownBytes: LARGE }), async (c) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return c.text('done');
  });
  const post = (headers: Record<string, string>) => app.request('/validate', { method: 'POST', headers });
  const ofLength = (bytes: number) => post({ 'Content-Length': String(bytes) });
  const release = () => {
    for (const resolve of held.splice(0)) resolve();
  };
  return { metrics, post, ofLength, release };
}

/** How many calls of a length get in before one is turned away. */
async function fill({ ofLength }: ReturnType<typeof setUp>, bytes: number): Promise<Array<Promise<Response>>> {
  const inside: Array<Promise<Response>> = [];
  let refused = false;
  while (!refused) {
    const call = Promise.resolve(ofLength(bytes));
    inside.push(call);
    void call.then(({ ok }) => {
      refused ||= !ok;
    });
    await clock.advance(0);
  }
  return inside.slice(0, -1);
}

test('large bodies take at most three quarters, small ones the rest as well', async () => {
  const server = setUp();
  const large = await fill(server, LARGE);
  expect(large.length).toBe(3);
  const small = await fill(server, 64 * 1024);
  expect(small.length).toBe((MOST_BYTES_IN_WORK - 3 * LARGE) / (64 * 1024));
  server.release();
  expect((await Promise.all([...large, ...small])).every(({ ok }) => ok)).toBe(true);
});

test('who is turned away is told to try again, and counted', async () => {
  const server = setUp();
  const inside = await fill(server, LARGE);
  const refused = await server.ofLength(LARGE);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await server.metrics.text()).toContain('drover_webhook_overloads_total{path="/validate"} 2');
  server.release();
  await Promise.all(inside);
});

test('an answer makes room', async () => {
  const server = setUp();
  const inside = await fill(server, LARGE);
  server.release();
  await Promise.all(inside);
  expect((await fill(server, LARGE)).length).toBe(inside.length);
});

test.each([
  ['no length', {}],
  ['an encoding that overrides it', { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' }],
])('a body with %s counts as the largest', async (_what, headers) => {
  const server = setUp();
  const calls = Array.from({ length: 3 }, () => server.post(headers));
  expect((await server.post(headers)).status).toBe(429);
  server.release();
  await Promise.all(calls);
});
