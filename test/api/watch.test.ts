import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import { errorOf } from '../../controller/runtime/client/errors.fixture.ts';
import { systemClock } from '../../controller/runtime/clock.ts';
import { type ConfigMap, configMaps } from '../../controller/runtime/k8s/core.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { systemRandom } from '../../controller/runtime/random.ts';
import { Cache, type Change } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { until } from '../../hack/lib/until.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { openWay } from './support/proxy.ts';

/** Longer than the longest pause before a watch is tried again, 30 s. */
const SOON = { timeoutMs: 60_000 };

let cluster: OwnCluster;
let api: Api;

beforeAll(async () => {
  cluster = await ownControlPlane();
  api = new Api({ connection: cluster.admin, clock: systemClock });
}, 180_000);

afterAll(() => cluster.end());

/** A cache that runs on ConfigMaps of a namespace of its own. */
class Scene implements AsyncDisposable {
  readonly log = new FakeLog();
  readonly cache = new Cache<ConfigMap>({ freeze: true, log: this.log });
  readonly changes: string[] = [];
  /** May be made to lead elsewhere by a test. */
  readonly connection: Connection;
  readonly namespace: string;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(namespace: string, { connection, idleMs }: { connection: Connection; idleMs: number }) {
    this.namespace = namespace;
    this.connection = { ...connection };
    this.cache.onChange((change) => this.changes.push(short(change)));
    this.#running = runCache<ConfigMap>({
      api: new Api({ connection: this.connection, clock: systemClock }),
      resource: configMaps,
      cache: this.cache,
      clock: systemClock,
      random: systemRandom,
      log: this.log,
      namespace,
      idleMs,
      signal: this.#stop.signal,
    });
  }

  put = (name: string): Promise<ConfigMap> =>
    api.create(configMaps, { metadata: { namespace: this.namespace, name }, data: { wool: 'white' } });

  dye = (name: string, wool: string): Promise<ConfigMap> =>
    api.patch(configMaps, { namespace: this.namespace, name }, { type: 'merge', body: { data: { wool } } });

  drop = (name: string) => api.delete(configMaps, { namespace: this.namespace, name });

  /** Makes one more change, waits until the cache has seen it, and compares everything with a fresh list. */
  async isEqualToList(): Promise<void> {
    const last = await this.put('last');
    await this.cache.whenSeen(last, AbortSignal.timeout(SOON.timeoutMs));
    const { items } = await api.list(configMaps, { namespace: this.namespace });
    const plain = items.map(({ metadata: { managedFields: _, ...metadata }, ...item }: Listed) => ({
      ...item,
      metadata,
    }));
    expect(byName(this.cache.list())).toEqual(byName(plain));
  }

  /** Resolves when the watch was interrupted by an error that says this. */
  interrupted(says: string): Promise<unknown> {
    const isThat = ({ fields: { error } }: { fields: { error?: unknown } }) => String(error).includes(says);
    return until(`an interruption: ${says}`, () => this.log.lines.some(isThat), SOON);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

type Listed = ConfigMap & { metadata: { managedFields?: unknown } };

const byName = (items: ConfigMap[]) => items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));

/** `+dolly` is new, `~dolly` changed, `-dolly` gone. */
function short({ key, before, after }: Change<ConfigMap>): string {
  return `${before && after ? '~' : after ? '+' : '-'}${key.slice(key.indexOf('/') + 1)}`;
}

async function scene({ idleMs = 90_000, connection = cluster.admin } = {}): Promise<Scene> {
  const made = new Scene(await cluster.namespace('watch'), { idleMs, connection });
  await made.cache.whenSynced();
  return made;
}

test('a cache follows what is made, changed and deleted, and knows its own writes', async () => {
  await using here = await scene();
  await here.put('dolly');
  await here.put('molly');
  const dyed = await here.dye('dolly', 'black');
  await here.cache.whenSeen(dyed);
  expect(here.cache.get(`${here.namespace}/dolly`)?.data).toEqual({ wool: 'black' });
  const { metadata } = await here.put('polly');
  await here.drop('polly');
  await here.cache.whenSeen({ metadata });
  await here.cache.whenGone(`${here.namespace}/polly`, metadata.uid ?? '');
  expect(here.changes).toEqual(['+dolly', '+molly', '~dolly', '+polly', '-polly']);
  await here.isEqualToList();
});

test('bookmarks tell how far a quiet namespace has been seen', async () => {
  const namespace = await cluster.namespace('quiet');
  const { resourceVersion } = await api.list(configMaps, { namespace });
  // A server bookmarks each minute, and two seconds before it ends a watch.
  const watch = api.watch(configMaps, {
    namespace,
    resourceVersion,
    timeoutSeconds: 5,
    signal: AbortSignal.timeout(20_000),
  });
  const told = Array.fromAsync(watch, ({ type, object }) => ({ type, version: object.metadata.resourceVersion }));
  await Bun.sleep(500);
  const { metadata } = await api.create(configMaps, { metadata: { namespace: 'default', name: 'elsewhere' } });
  expect((await told).at(-1)).toEqual({ type: 'BOOKMARK', version: metadata.resourceVersion });
}, 180_000);

describe('an API server that is killed and started again', () => {
  test('is followed on from the last version', async () => {
    await using here = await scene();
    await here.cache.whenSeen(await here.put('dolly'));
    await cluster.apiserver.kill();
    await here.interrupted('ECONNRE');
    const refused = await errorOf(here.put('molly'));
    expect(refused).toMatchObject({ reason: 'NetworkError', mayHaveActed: false });
    await cluster.apiserver.start();
    await here.put('molly');
    await here.drop('dolly');
    await here.isEqualToList();
    expect(here.changes).toEqual(['+dolly', '+molly', '-dolly', '+last']);
  }, 180_000);

  test('and has forgotten the last version is listed anew; what vanished meanwhile is gone', async () => {
    const way = await openWay(cluster.admin);
    await using here = await scene({ connection: way.connection });
    for (const name of ['dolly', 'molly', 'polly']) await here.cache.whenSeen(await here.put(name));
    way.close();
    await here.drop('dolly');
    await here.drop('polly');
    await here.put('polly');
    await here.dye('molly', 'black');
    await cluster.compact();
    await cluster.apiserver.kill();
    await cluster.apiserver.start();
    Object.assign(here.connection, cluster.admin);
    await here.interrupted('410 ');
    await here.isEqualToList();
    expect(here.changes.slice(3).toSorted()).toEqual(['+last', '+polly', '-dolly', '-polly', '~molly'].toSorted());
  }, 180_000);
});

// hack/decisions/0051 L115
test('a store that is restored from a backup, and comes past the version that was seen, is listed anew', async () => {
  const bumped = await cluster.namespace('bumped');
  const go = async (versions: number) => {
    for (let at = 0; at < versions; at++)
      await api.create(configMaps, { metadata: { namespace: bumped, name: `${crypto.randomUUID()}` } });
  };
  await using here = await scene();
  for (const name of ['dolly', 'molly']) await here.cache.whenSeen(await here.put(name));
  const [data, backup] = [join(cluster.folder, 'etcd'), join(cluster.folder, 'backup')];
  await cluster.etcd.stop();
  await cp(data, backup, { recursive: true });
  await cluster.etcd.start();
  await until('the store to take writes', () => go(1).then(() => true), SOON);
  await go(300);
  await here.drop('dolly');
  await here.cache.whenSeen(await here.put('polly'), AbortSignal.timeout(SOON.timeoutMs));
  await cluster.apiserver.kill();
  await cluster.etcd.stop();
  await rm(data, { recursive: true });
  await cp(backup, data, { recursive: true });
  await cluster.etcd.start();
  await cluster.apiserver.start();
  await here.interrupted('history went back');
  await go(400);
  await here.isEqualToList();
  expect(byName(here.cache.list()).map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(['dolly', 'last', 'molly']),
  );
  expect(here.cache.get(`${here.namespace}/polly`)).toBeUndefined();
}, 180_000);

test('a connection that falls silent is given up, and followed on when the server is back', async () => {
  await using here = await scene({ idleMs: 2_000 });
  await here.cache.whenSeen(await here.put('dolly'));
  cluster.apiserver.freeze();
  try {
    await here.interrupted('nothing came for 2 s');
    const late = await errorOf(api.get(configMaps, { namespace: here.namespace, name: 'dolly' }, { timeoutMs: 500 }));
    expect(late).toMatchObject({ reason: 'DeadlineExceeded', status: 0 });
  } finally {
    cluster.apiserver.thaw();
  }
  await here.dye('dolly', 'black');
  await here.isEqualToList();
}, 180_000);

test('a compaction under a running watch goes unnoticed', async () => {
  await using here = await scene();
  await here.put('dolly');
  await cluster.compact();
  await here.dye('dolly', 'black');
  await here.isEqualToList();
  expect(here.log.lines).toEqual([]);
});
