import { afterEach, expect, test } from 'bun:test';
import { createMetrics, type Metrics } from './metrics.ts';
import { type Checks, type Listener, probes, serve } from './server.ts';

const listeners: Listener[] = [];

afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.stop())));

const ask = async (path: string, checks: Checks) => {
  const app = probes({ healthy: checks, ready: checks, metrics: createMetrics({ tables: [] }) });
  const answer = await app.request(path);
  return [answer.status, await answer.text()] as const;
};

test.each<[string, Checks, number, string]>([
  ['no check at all', {}, 200, 'ok'],
  ['checks that find nothing', { a: () => undefined, b: async () => undefined }, 200, 'ok'],
  ['one that fails', { a: () => undefined, lease: () => 'lost' }, 500, 'lease: lost'],
  ['two that fail', { a: async () => 'x', b: () => 'y' }, 500, 'a: x\nb: y'],
  [
    'one that throws',
    {
      a: () => {
        throw new Error('broken');
      },
    },
    500,
    'a: broken',
  ],
  ['one that rejects with no error', { a: () => Promise.reject('text') }, 500, 'a: text'],
])('with %s both probes say so', async (_what, checks, status, text) => {
  expect(await ask('/healthz', checks)).toEqual([status, text]);
  expect(await ask('/readyz', checks)).toEqual([status, text]);
});

test('health and readiness are judged apart, and other paths are not found', async () => {
  const metrics = createMetrics({ tables: [] });
  const app = probes({ healthy: {}, ready: { caches: () => 'not synced' }, metrics });
  expect((await app.request('/healthz')).status).toBe(200);
  expect((await app.request('/readyz')).status).toBe(500);
  expect((await app.request('/configz')).status).toBe(404);
});

test('metrics come in the text format of Prometheus', async () => {
  const metrics = createMetrics({ tables: [{ drover_x: { type: 'gauge', help: 'X.', labels: [] } }] });
  metrics.set('drover_x', 4);
  const answer = await probes({ healthy: {}, ready: {}, metrics }).request('/metrics');
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(await answer.text()).toContain('\ndrover_x 4\n');
});

test('a server on port 0 tells its port, answers what is under way when it stops, and then nothing more', async () => {
  const scrape = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const metrics: Metrics = Object.assign(createMetrics({ tables: [] }), {
    text: () => {
      begun.resolve();
      return scrape.promise;
    },
  });
  const listener = serve({ port: 0, hostname: '127.0.0.1', healthy: {}, ready: {}, metrics });
  listeners.push(listener);
  const url = `http://127.0.0.1:${listener.port}`;
  expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok');
  const underWay = fetch(`${url}/metrics`);
  await begun.promise;
  const stopped = listener.stop();
  scrape.resolve('late');
  expect(await (await underWay).text()).toBe('late');
  await stopped;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});
