import { describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { type SelfParts, selfSource } from './selfsigned.ts';
import { refusal, Store } from './store.fake.ts';

const DAY = 24 * 3600 * 1000;

const clock = new FakeClock();
const { signal } = new AbortController();

const replica = (store: Store, seed = 1, now = clock) => replicaNamed(['localhost'], { store, seed, now });

const replicaNamed = (names: string[], { store, seed, now }: { store: Store; seed: number; now: FakeClock }) =>
  selfSource({
    api: store.api,
    clock: now,
    random: seededRandom(seed),
    namespace: 'drover-system',
    secret: 'drover-webhook-tls',
    names,
    configurations: ['drover'],
  });

describe('the self-issued certificate', () => {
  test('is not made where its Secret is not, which the webhook may not make (hack/decisions/0038)', async () => {
    const store = new Store();
    store.secret = undefined;
    await expect(replica(store).current(signal)).rejects.toThrow('drover-system/drover-webhook-tls');
  });

  test('is made once and used by whoever comes later', async () => {
    const store = new Store();
    const first = await replica(store).current(signal);
    expect(Object.keys(store.secret?.data ?? {}).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
    expect(await replica(store, 2).current(signal)).toEqual(first);
    expect(store.writes).toBe(1);
  });

  test('is one for replicas that start at the same moment', async () => {
    const store = new Store();
    const all = await Promise.all([1, 2, 3].map((seed) => replica(store, seed).current(signal)));
    expect(new Set(all.map(({ pair }) => pair.cert)).size).toBe(1);
    expect(store.writes).toBe(1);
  });

  test('is renewed by one of several replicas', async () => {
    const store = new Store();
    const now = new FakeClock();
    const sources = [1, 2, 3].map((seed) => replica(store, seed, now));
    const [before] = await Promise.all(sources.map((source) => source.current(signal)));
    await now.advance(25 * DAY);
    const after = await Promise.all(sources.map((source) => source.current(signal)));
    expect(new Set(after.map(({ pair }) => pair.cert)).size).toBe(1);
    expect(after[0]?.pair.cert).not.toBe(before?.pair.cert ?? '');
    expect(store.writes).toBe(2);
  });

  test('settles on all names that replicas want, during a change of settings', async () => {
    const store = new Store();
    const before = replicaNamed(['a.example'], { store, seed: 1, now: clock });
    const after = replicaNamed(['b.example'], { store, seed: 2, now: clock });
    for (let round = 0; round < 10; round++) {
      await before.current(signal);
      await after.current(signal);
    }
    expect(store.writes).toBe(2);
    const leaf = new X509Certificate((await before.current(signal)).pair.cert);
    expect(leaf.subjectAltName).toBe('DNS:a.example, DNS:b.example');
  });

  test('replaces one that somebody damaged', async () => {
    const store = new Store();
    await replica(store).current(signal);
    if (store.secret) store.secret.data = { 'tls.crt': 'aGVsbG8=' };
    expect((await replica(store).current(signal)).pair.cert).toContain('BEGIN CERTIFICATE');
    expect(store.writes).toBe(2);
  });

  test('gives up when the Secret changes under every write', async () => {
    const store = new Store();
    const contended = { ...store.api, replace: () => Promise.reject(refusal(409, 'Conflict')) } as SelfParts['api'];
    const source = replica(Object.assign(new Store(), { api: contended }));
    await expect(source.current(signal)).rejects.toThrow('was changed by others again and again');
  });
});

describe('the caBundle', () => {
  test('goes into every webhook, once', async () => {
    const store = new Store();
    store.register();
    const { authority, missing } = await replica(store).current(signal);
    expect(store.bundles()).toEqual(Array(4).fill(authority ?? ''));
    expect(missing).toEqual([]);
    const { writes } = store;
    await replica(store).current(signal);
    expect(store.writes).toBe(writes);
  });

  test('comes back when somebody blanked it', async () => {
    const store = new Store();
    store.register();
    const { authority } = await replica(store).current(signal);
    store.register();
    await replica(store).current(signal);
    expect(store.bundles()).toEqual(Array(4).fill(authority ?? ''));
  });

  test('holds the old authority beside the new one', async () => {
    const store = new Store();
    store.register();
    const now = new FakeClock();
    const source = replica(store, 1, now);
    const { authority: old = '' } = await source.current(signal);
    await now.advance(270 * DAY);
    const { authority: newest = '' } = await source.current(signal);
    expect(newest).not.toBe(old);
    expect(store.bundles()[0]).toBe(newest + old);
  });

  test('is missed where a configuration is not there', async () => {
    const { missing } = await replica(new Store()).current(signal);
    expect(missing).toEqual(['ValidatingWebhookConfiguration drover', 'MutatingWebhookConfiguration drover']);
  });
});
