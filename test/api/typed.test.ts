import { beforeAll, expect, test } from 'bun:test';
import type { AuthenticationV1Api, CoreV1Api } from '@kubernetes/client-node';
import { errorOf } from '../../controller/runtime/client/errors.fixture.ts';
import { typedApi } from '../../controller/runtime/client/typed.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';

// client-node's typed calls on a real API server, whose CA and client certificate its own transport cannot take on Bun
// (hack/decisions/0034).

let cluster: Cluster;
let core: CoreV1Api;
let namespace: string;

beforeAll(async () => {
  cluster = await controlPlane();
  namespace = await cluster.namespace('typed');
  core = await typedApi(({ CoreV1Api }) => CoreV1Api, { connection: cluster.admin, clock });
}, 180_000);

test('an object is made, read, listed and deleted', async () => {
  const made = await core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'sheep' }, data: { wool: 'white' } },
  });
  expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
  expect(await core.readNamespacedConfigMap({ namespace, name: 'sheep' })).toMatchObject({ data: { wool: 'white' } });
  const { items } = await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=sheep' });
  expect(items.map(({ metadata }) => metadata?.uid)).toEqual([made.metadata?.uid]);
  await core.deleteNamespacedConfigMap({ namespace, name: 'sheep' });
  expect(await errorOf(core.readNamespacedConfigMap({ namespace, name: 'sheep' }))).toMatchObject({
    reason: 'NotFound',
  });
});

test('it is we who call', async () => {
  const api: AuthenticationV1Api = await typedApi(({ AuthenticationV1Api }) => AuthenticationV1Api, {
    connection: cluster.admin,
    clock,
  });
  const { status } = await api.createSelfSubjectReview({ body: {} });
  expect(status?.userInfo?.username).toBe('admin');
});
