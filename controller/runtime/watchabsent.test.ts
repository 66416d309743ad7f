import { expect, test } from 'bun:test';
import { Api } from './api.ts';
import { Cache } from './cache.ts';
import { FakeClock } from './clock.fake.ts';
import { type ConfigMap, configMaps } from './core.ts';
import { FakeLog } from './log.fake.ts';
import { seededRandom } from './random.ts';
import { type Answer, FakeServer, FakeStream, hang, json, status, turnUntil } from './server.fake.ts';
import { runCache } from './watch.ts';

/** Resources that a server need not serve, because their CRD may be missing. */

const unserved = status(404, 'NotFound');
const list = (name: string): Answer => {
  const metadata = { name, namespace: 'farm', uid: name, resourceVersion: '4' };
  return json({ metadata: { resourceVersion: '5' }, items: [{ metadata }] });
};

/** A cache that follows a server with these answers. */
function follow(mayBeAbsent: boolean, ...script: Answer[]) {
  const server = new FakeServer(...script);
  const [clock, log, cache, stop] = [new FakeClock(), new FakeLog(), new Cache<ConfigMap>(), new AbortController()];
  const api = new Api({ connection: server.connection, clock });
  const parts = { api, resource: configMaps, clock, log, random: seededRandom(1), signal: stop.signal };
  void runCache({ ...parts, cache, mayBeAbsent });
  return {
    cache,
    clock,
    log,
    /** Lets the next pause pass; the answer is how long it was, and how it was told of. */
    async pause() {
      await turnUntil(() => log.lines.length > 0);
      const { level, fields } = log.lines.shift() ?? {};
      await clock.advance(Number(fields?.['waitMs']) + 1);
      return [level, fields?.['waitMs']];
    },
    [Symbol.dispose]() {
      stop.abort();
      server[Symbol.dispose]();
    },
  };
}

test('a resource that is not served counts as empty, and is asked for every ten seconds', async () => {
  using scene = follow(true, unserved, unserved, list('dolly'), hang);
  const { cache } = scene;
  await turnUntil(() => cache.synced);
  expect([cache.served, cache.list()]).toEqual([false, []]);
  expect(await scene.pause()).toEqual(['debug', 10_000]);
  expect(await scene.pause()).toEqual(['debug', 10_000]);
  await turnUntil(() => cache.served);
  expect(cache.get('farm/dolly')?.metadata.uid).toBe('dolly');
});

test('a resource may cease to be served', async () => {
  const stream = new FakeStream();
  using scene = follow(true, list('dolly'), stream.answer, unserved, hang);
  await turnUntil(() => scene.cache.synced);
  await scene.clock.advance(60_000);
  await stream.end();
  await turnUntil(() => !scene.cache.served);
  expect(scene.cache.list()).toEqual([]);
});

test('a resource that must be there is waited for', async () => {
  using scene = follow(false, unserved, list('dolly'), hang);
  expect(scene.cache.synced).toBe(false);
  expect(await scene.pause()).toEqual(['warn', expect.any(Number)]);
  await turnUntil(() => scene.cache.synced);
});
