import { expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import { resources } from '../../schemas/kinds.ts';
import { Repeats } from '../flow/refusals.ts';
import type { DecisionLog } from '../framework/decisionlog.ts';
import { Api } from '../runtime/client/api.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { type Answer, FakeServer, json, status } from '../runtime/server.fake.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { type ClusterParts, reconcileCluster } from './controller.ts';

/** hack/decisions/0028 R2: what names a Cluster that is gone leaves without a drain. */

/** One pass over a Cluster that the cache does not show; `closed` are the Clusters that count as gone then. */
async function pass(clusters: Cache<Cluster>, ...answers: Answer[]) {
  using server = new FakeServer(...answers);
  const api = new Api({ connection: server.connection, clock: new FakeClock() });
  const closed: string[] = [];
  const parts = {
    clusters,
    clusterWrites: { api, resource: resources.clusters, cache: clusters },
    clusterConnections: { close: (key: string) => closed.push(key) },
    decisionLog: { forget: () => {} } as unknown as DecisionLog,
    kubeconfigs: { forget: () => {} },
    repeats: new Repeats(),
  };
  const result = await reconcileCluster(parts as unknown as ClusterParts, 'herd/east').catch(String);
  return { result, closed, asked: server.requests };
}

const page =
  (code: number): Answer =>
  () =>
    new Response('<h1>nothing here</h1>', { status: code });
const served = () => {
  const cache = new Cache<Cluster>();
  cache.reset([], '1');
  return cache;
};

test('a Cluster that the API server says is not there is gone', async () => {
  expect(await pass(served(), status(404, 'NotFound'))).toEqual({
    result: {},
    closed: ['herd/east'],
    asked: ['GET /apis/drover.dev/v1alpha1/namespaces/herd/clusters/east'],
  });
});

test('so is one of an API server that serves no Clusters, which need not be asked', async () => {
  const cache = new Cache<Cluster>();
  cache.absent();
  expect(await pass(cache)).toEqual({ result: {}, closed: ['herd/east'], asked: [] });
});

test('one that is there after all is looked for again soon', async () => {
  const { result, closed } = await pass(served(), json({ metadata: { name: 'east', namespace: 'herd' } }));
  expect([result, closed]).toEqual([{ after: 1_000 }, []]);
});

test.each([404, 502, 504, 200])('nothing follows from a text page with code %i', async (code) => {
  const { result, closed } = await pass(served(), page(code));
  expect(result).toStartWith('ApiError: get clusters herd/east: ');
  expect(closed).toEqual([]);
});
