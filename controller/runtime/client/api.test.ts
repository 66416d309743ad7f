import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { type ConfigMap, configMaps, type Lease, leases, nodes } from '../k8s/core.ts';
import { FakeServer, json, status } from '../server.fake.ts';
import { Api } from './api.ts';

const ref = { namespace: 'farm', name: 'dolly' };
const sheep: ConfigMap = { metadata: ref, data: { wool: 'white' } };
const PATH = '/api/v1/namespaces/farm/configmaps';

const apiOf = ({ connection }: FakeServer) => new Api({ connection, clock: new FakeClock() });

describe('on the wire', () => {
  test.each([
    ['get', (api: Api) => api.get(configMaps, ref), `GET ${PATH}/dolly`, ''],
    [
      'get a subresource',
      (api: Api) => api.get(nodes, { name: 'n' }, { subresource: 'scale' }),
      'GET /api/v1/nodes/n/scale',
      '',
    ],
    ['create', (api: Api) => api.create(configMaps, sheep), `POST ${PATH}`, sheep],
    ['try a create', (api: Api) => api.create(configMaps, sheep, { dryRun: true }), `POST ${PATH}?dryRun=All`, sheep],
    [
      'create a subresource of an object',
      (api: Api) => api.create(configMaps, sheep, { subresource: 'eviction' }),
      `POST ${PATH}/dolly/eviction`,
      sheep,
    ],
    ['replace', (api: Api) => api.replace(configMaps, sheep), `PUT ${PATH}/dolly`, sheep],
    [
      'replace a status',
      (api: Api) => api.replace(configMaps, sheep, { subresource: 'status' }),
      `PUT ${PATH}/dolly/status`,
      sheep,
    ],
    ['delete', (api: Api) => api.delete(configMaps, ref), `DELETE ${PATH}/dolly`, { preconditions: {} }],
    [
      'delete with conditions',
      (api: Api) =>
        api.delete(configMaps, ref, { uid: 'u', resourceVersion: '5', propagation: 'Orphan', gracePeriodSeconds: 0 }),
      `DELETE ${PATH}/dolly`,
      { preconditions: { uid: 'u', resourceVersion: '5' }, propagationPolicy: 'Orphan', gracePeriodSeconds: 0 },
    ],
  ] as const)('%s', async (_what, call, request, body) => {
    using server = new FakeServer(json(sheep));
    await call(apiOf(server));
    expect(server.requests).toEqual([request]);
    expect<unknown>(JSON.parse(server.received[0]?.body || '""')).toEqual(body);
  });

  test.each([
    [{ type: 'json', body: [{ op: 'remove', path: '/data' }] }, 'application/json-patch+json', ''],
    [{ type: 'merge', body: { data: null } }, 'application/merge-patch+json', ''],
    [{ type: 'strategic', body: { data: null } }, 'application/strategic-merge-patch+json', ''],
    [{ type: 'apply', body: sheep, manager: 'dog' }, 'application/apply-patch+yaml', '?fieldManager=dog'],
    [
      { type: 'apply', body: sheep, manager: 'dog', force: true },
      'application/apply-patch+yaml',
      '?fieldManager=dog&force=true',
    ],
  ] as const)('patch %o', async (patch, contentType, query) => {
    using server = new FakeServer(json(sheep));
    await apiOf(server).patch(configMaps, ref, patch as Parameters<Api['patch']>[2]);
    expect(server.requests).toEqual([`PATCH ${PATH}/dolly${query}`]);
    expect(server.received[0]?.headers.get('content-type')).toBe(contentType);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual(patch.body);
  });

  test.each<[string, (api: Api) => Promise<unknown>, string]>([
    ['create', (api) => api.create(configMaps, sheep), `POST ${PATH}?fieldManager=dog`],
    [
      'replace',
      (api) => api.replace(configMaps, sheep, { dryRun: true }),
      `PUT ${PATH}/dolly?fieldManager=dog&dryRun=All`,
    ],
    ['patch', (api) => api.patch(configMaps, ref, { type: 'merge', body: {} }), `PATCH ${PATH}/dolly?fieldManager=dog`],
    [
      'apply, which names one itself',
      (api) => api.patch(configMaps, ref, { type: 'apply', body: {}, manager: 'cat' }),
      `PATCH ${PATH}/dolly?fieldManager=cat`,
    ],
    ['get, which writes nothing', (api) => api.get(configMaps, ref), `GET ${PATH}/dolly`],
  ])('under the name of a field manager: %s', async (_what, call, request) => {
    using server = new FakeServer(json(sheep));
    await call(new Api({ connection: server.connection, clock: new FakeClock(), fieldManager: 'dog' }));
    expect(server.requests).toEqual([request]);
  });

  test('a name that would lead elsewhere is refused before anything is sent', async () => {
    using server = new FakeServer();
    await expect(apiOf(server).delete(configMaps, { namespace: 'farm', name: '' })).rejects.toThrow('"" is not a name');
    expect(server.requests).toEqual([]);
  });

  test('any other path answers text, or JSON when it is JSON', async () => {
    using server = new FakeServer(() => new Response('ok'), json({ major: '1' }));
    const api = apiOf(server);
    expect(await api.request('GET', '/readyz')).toBe('ok');
    expect(await api.request('POST', '/version', { body: { a: 1 } })).toEqual({ major: '1' });
    expect(server.requests).toEqual(['GET /readyz', 'POST /version']);
    expect(server.received[1]?.body).toBe('{"a":1}');
    expect(server.received[1]?.headers.get('content-type')).toBe('application/json');
  });
});

test.each([
  [
    'answers the object when it lives on',
    { metadata: { name: 'dolly', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    'dolly',
  ],
  ['answers nothing when it is gone', { kind: 'Status', status: 'Success' }, undefined],
] as const)('a delete %s', async (_what, answer, name) => {
  using server = new FakeServer(json(answer));
  expect((await apiOf(server).delete(configMaps, ref))?.metadata.name).toBe(name);
});

describe('a list', () => {
  const managedFields = [{ manager: 'dog' }];
  const page = (resourceVersion: string, next: string, ...names: string[]) => {
    const items = names.map((name) => ({ metadata: { name, managedFields } }));
    return json({ metadata: { resourceVersion, continue: next }, items });
  };

  test('is read page by page, and its items say what they are, not who wrote them', async () => {
    using server = new FakeServer(page('7', 'token 1', 'a', 'b'), page('7', '', 'c'));
    const list = await apiOf(server).list(leases, { pageSize: 2, labelSelector: 'colour=white' });
    const item = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });
    expect(list).toEqual({ resourceVersion: '7', items: [item('a'), item('b'), item('c')] });
    const path = 'GET /apis/coordination.k8s.io/v1/leases?labelSelector=colour%3Dwhite&limit=2';
    expect(server.requests).toEqual([path, `${path}&continue=token+1`]);
    expect(server.received[0]?.headers.get('accept-encoding')).toBe('gzip');
  });

  test('keeps of each item what it is told to', async () => {
    using server = new FakeServer(page('7', 'token 1', 'a'), page('7', '', 'b'));
    const keep = ({ metadata: { name } }: Lease): Lease => ({ metadata: { name } });
    const { items } = await apiOf(server).list(leases, { keep });
    expect(items).toEqual([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }]);
  });

  test('of one namespace, of 500 objects a page, asks just for that', async () => {
    using server = new FakeServer(page('7', ''));
    expect(await apiOf(server).list(configMaps, { namespace: 'farm' })).toEqual({ resourceVersion: '7', items: [] });
    expect(server.requests).toEqual([`GET ${PATH}?limit=500`]);
  });

  test('names its version on the first page only, for the token of another page holds it', async () => {
    using server = new FakeServer(page('7', 'x', 'a'), page('7', '', 'b'));
    await apiOf(server).list(nodes, { resourceVersion: '5' });
    expect(server.requests).toEqual([
      'GET /api/v1/nodes?resourceVersion=5&limit=500',
      'GET /api/v1/nodes?limit=500&continue=x',
    ]);
  });

  test('begins anew when its pages expire', async () => {
    using server = new FakeServer(page('7', 'x', 'a'), status(410, 'Expired'), page('9', '', 'b'));
    const { items, resourceVersion } = await apiOf(server).list(nodes);
    expect(resourceVersion).toBe('9');
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('fails when its pages expire again and again', async () => {
    using server = new FakeServer(...Array.from({ length: 9 }, () => status(410, 'Expired')));
    await expect(apiOf(server).list(nodes)).rejects.toThrow('list nodes: 410 Expired');
    expect(server.received.length).toBe(3);
  });
});
