import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { configMaps } from '../k8s/core.ts';
import { type Answer, FakeServer, json, status } from '../server.fake.ts';
import { Api } from './api.ts';
import { errorOf } from './errors.fixture.ts';
import { sameCluster } from './samecluster.ts';

// hack/decisions/0028 W13

const ref = { namespace: 'farm', name: 'dolly' };
const found = json({ metadata: ref });
const clusterOf = (uid: unknown): Answer => json({ metadata: { name: 'kube-system', uid } });
const ASKED = 'GET /api/v1/namespaces/kube-system';
const CALLED = 'PATCH /api/v1/namespaces/farm/configmaps/dolly';

/** A client of a server with this script that must be a certain cluster. */
function scene(expected: string | undefined, ...script: Answer[]) {
  const server = new FakeServer(...script);
  const learned: string[] = [];
  const identity = { expected: () => expected, learned: (uid: string) => void learned.push(uid) };
  const connection = sameCluster(server.connection, identity);
  const api = new Api({ connection, clock: new FakeClock() });
  const call = () => api.patch(configMaps, ref, { type: 'merge', body: {} });
  return { server, learned, call, [Symbol.dispose]: () => server[Symbol.dispose]() };
}

describe('a connection', () => {
  test('asks once which cluster it leads to, and tells that', async () => {
    using here = scene(undefined, clusterOf('one'), found, found);
    await here.call();
    await here.call();
    expect(here.server.requests).toEqual([ASKED, CALLED, CALLED]);
    expect(here.server.received[0]?.body).toBe('');
    expect(here.learned).toEqual(['one']);
  });

  test('sends nothing to another cluster than the one that is expected', async () => {
    using here = scene('one', clusterOf('two'), clusterOf('two'), clusterOf('one'), found);
    for (let calls = 0; calls < 2; calls++)
      expect(await errorOf(here.call())).toMatchObject({ code: 'ERR_OTHER_CLUSTER', status: 0 });
    await here.call();
    expect(here.server.requests).toEqual([ASKED, ASKED, ASKED, CALLED]);
    expect(here.learned).toEqual(['one']);
  });

  test.each<[string, Answer]>([
    ['may not ask', status(403, 'Forbidden')],
    ['asks in vain', status(404, 'NotFound')],
    ['is told nothing', json({ metadata: {} })],
    ['is told anything', clusterOf('x'.repeat(65))],
  ])('that %s is good for any cluster, and for none that is expected', async (_what, answer) => {
    using any = scene(undefined, answer, found);
    await any.call();
    using one = scene('one', answer, found);
    expect(await errorOf(one.call())).toMatchObject({ code: 'ERR_CLUSTER_UNKNOWN' });
    expect([...any.learned, ...one.learned]).toEqual([]);
    expect(one.server.requests).toEqual([ASKED]);
  });

  test('to a server that refuses everything fails as any other, and asks again', async () => {
    using here = scene('one', status(500, 'InternalError'), clusterOf('one'), found);
    expect(await errorOf(here.call())).toMatchObject({ status: 500, reason: 'InternalError' });
    await here.call();
    expect(here.server.requests).toEqual([ASKED, ASKED, CALLED]);
  });

  test('asks anew after a request that was cut', async () => {
    let cut = false;
    using here = scene('one', clusterOf('one'), found, clusterOf('two'));
    const through = (url: string, request: BunFetchRequestInit) =>
      cut ? Promise.reject(new TypeError('cut')) : fetch(url, request);
    const identity = { expected: () => 'one', learned: () => {} };
    const connection = sameCluster({ ...here.server.connection, send: through }, identity);
    const api = new Api({ connection, clock: new FakeClock() });
    await api.patch(configMaps, ref, { type: 'merge', body: {} });
    cut = true;
    await errorOf(api.get(configMaps, ref));
    cut = false;
    expect(await errorOf(api.get(configMaps, ref))).toMatchObject({ code: 'ERR_OTHER_CLUSTER', mayHaveActed: false });
    expect(here.server.requests).toEqual([ASKED, CALLED, ASKED]);
  });
});
