import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { errorOf } from '../../controller/runtime/client/errors.fixture.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { configMaps } from '../../controller/runtime/k8s/core.ts';
import { until } from '../../hack/lib/until.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';
import { openWay, type Way } from './support/proxy.ts';
import { faults, slow, sound, unheard } from './support/proxyfaults.ts';

setDefaultTimeout(180_000);

const SOON = { timeoutMs: 20_000 };

let cluster: Cluster;
let namespace: string;
let way: Way;
let api: Api;

beforeAll(async () => {
  cluster = await controlPlane();
  namespace = await cluster.namespace('way');
  const direct = new Api({ connection: cluster.admin, clock });
  for (const name of ['dolly', 'molly']) await direct.create(configMaps, { metadata: { namespace, name } });
});

beforeEach(async () => {
  way = await openWay(cluster.admin);
  api = new Api({ connection: way.connection, clock });
});

afterEach(() => way.close());

const get = (timeoutMs = 5_000) => api.get(configMaps, { namespace, name: 'dolly' }, { timeoutMs });
const list = async () => (await api.list(configMaps, { namespace })).items.length;

/** Follows the namespace; `end` is what the watch ended by. */
async function follow() {
  const { resourceVersion } = await api.list(configMaps, { namespace });
  const stop = new AbortController();
  const names: string[] = [];
  const reading = async () => {
    const { signal } = stop;
    for await (const { object } of api.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 60, signal }))
      names.push(object.metadata.name);
  };
  const end = reading().then(
    () => 'ended',
    (error: unknown) => String(error),
  );
  await touch('molly');
  await until('the watch to be open', () => names.includes('molly'), SOON);
  return { names, end, stop };
}

const touch = (name: string) =>
  new Api({ connection: cluster.admin, clock }).patch(
    configMaps,
    { namespace, name },
    { type: 'merge', body: { data: { touched: crypto.randomUUID() } } },
  );

test('a sound way changes nothing, requests with bodies and watches included', async () => {
  const { names, stop, end } = await follow();
  await api.patch(configMaps, { namespace, name: 'dolly' }, { type: 'merge', body: { data: { wool: 'white' } } });
  expect((await get()).data).toMatchObject({ wool: 'white' });
  await until('the change', () => names.includes('dolly'), SOON);
  stop.abort();
  await end;
});

test('silent: requests and open watches hang, and both work again once it is mended', async () => {
  const { names, end } = await follow();
  way.set(faults.silent);
  await touch('dolly');
  expect(await errorOf(get(300))).toMatchObject({ reason: 'DeadlineExceeded' });
  expect(names).toEqual(['molly']);
  way.set(sound);
  expect(await end).not.toBe('ended');
  expect((await get()).metadata.name).toBe('dolly');
});

test('refused: requests fail at once, and watches end', async () => {
  const { end } = await follow();
  way.set(faults.refused);
  expect(await end).toContain('ECONNRESET');
  expect(await errorOf(get())).toMatchObject({ reason: 'NetworkError' });
  way.set(sound);
  expect(await list()).toBeGreaterThan(1);
});

test('failing: requests are answered with 500, a watch that is open goes on', async () => {
  const { names, stop } = await follow();
  way.set(faults.failing);
  expect(await errorOf(get())).toMatchObject({ status: 500 });
  await touch('dolly');
  await until('the change', () => names.includes('dolly'), SOON);
  stop.abort();
});

test('slow: requests are answered, late', async () => {
  way.set(slow(1_000));
  expect(await errorOf(get(300))).toMatchObject({ reason: 'DeadlineExceeded' });
  expect((await get(20_000)).metadata.name).toBe('dolly');
});

test('cutLists: a list ends in its middle, other requests work', async () => {
  way.set(faults.cutLists);
  expect(await errorOf(list())).toMatchObject({ reason: 'NetworkError' });
  expect((await get()).metadata.name).toBe('dolly');
});

test('cutWatches: watches end, lists work', async () => {
  const { end } = await follow();
  way.set(faults.cutWatches);
  expect(await end).toContain('ECONNRESET');
  expect(await list()).toBeGreaterThan(1);
});

test('unheard: a watch of the resource stands still, and tells all of it later; other requests work', async () => {
  const { names, stop, end } = await follow();
  way.set(unheard('configmaps'));
  await touch('dolly');
  expect((await get()).metadata.name).toBe('dolly');
  expect(names).toEqual(['molly']);
  way.set(sound);
  await until('the change', () => names.includes('dolly'), SOON);
  stop.abort();
  await end;
});
