import { describe, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { ApiError } from '../../controller/runtime/api.ts';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import type { Secret } from '../../controller/runtime/core.ts';
import type { KubeObject, Ref, Resource } from '../../controller/runtime/object.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { SECRET } from './holding.ts';
import { type SelfParts, selfSource } from './self.ts';

const DAY = 24 * 3600 * 1000;

interface Webhook {
  name: string;
  clientConfig: { caBundle?: string };
}

const refusal = (status: number, reason: string) => new ApiError(reason, { status, reason, mayHaveActed: false });

/** An API server that holds one Secret and some webhook configurations, and counts the writes. */
class Store {
  secret: Secret | undefined;
  configurations = new Map<string, { webhooks: Webhook[] }>();
  writes = 0;
  #version = 0;

  readonly api = {
    get: async ({ kind }: Resource, { name }: Ref) => {
      const found = kind === 'Secret' ? this.secret : this.configurations.get(`${kind} ${name}`);
      if (!found) throw refusal(404, 'NotFound');
      return structuredClone(found);
    },
    create: async (_resource: Resource, object: Secret) => {
      if (this.secret) throw refusal(409, 'AlreadyExists');
      return this.#write(object);
    },
    replace: async (_resource: Resource, object: Secret) => {
      if (object.metadata.resourceVersion !== this.secret?.metadata.resourceVersion) throw refusal(409, 'Conflict');
      return this.#write(object);
    },
    patch: async ({ kind }: Resource, { name }: Ref, { body }: { body: Array<{ path: string; value: string }> }) => {
      this.writes++;
      const { webhooks } = this.configurations.get(`${kind} ${name}`) ?? { webhooks: [] };
      for (const { path, value } of body) {
        const webhook = webhooks[Number(path.split('/')[2])];
        if (webhook && path.endsWith('caBundle')) webhook.clientConfig.caBundle = value;
      }
      return {} as KubeObject;
    },
  } as unknown as SelfParts['api'];

  #write(object: Secret): Secret {
    this.writes++;
    this.secret = { ...object, metadata: { ...object.metadata, resourceVersion: `${++this.#version}` } };
    return this.secret;
  }

  /** Adds both configurations, each with two webhooks. */
  register(): void {
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
      const webhooks = ['a', 'b'].map((name) => ({ name, clientConfig: {} }));
      this.configurations.set(`${kind} drover`, { webhooks });
    }
  }

  /** Every caBundle, in PEM. */
  bundles(): string[] {
    const webhooks = [...this.configurations.values()].flatMap((configuration) => configuration.webhooks);
    return webhooks.map(({ clientConfig }) => atob(clientConfig.caBundle ?? ''));
  }
}

const clock = new FakeClock();
const { signal } = new AbortController();

const replica = (store: Store, seed = 1, now = clock, names = ['localhost']) =>
  selfSource({
    api: store.api,
    clock: now,
    random: seededRandom(seed),
    namespace: 'drover-system',
    names,
    configurations: ['drover'],
  });

describe('the self-issued certificate', () => {
  test('is made once and used by whoever comes later', async () => {
    const store = new Store();
    const first = await replica(store).current(signal);
    expect(store.secret).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: { namespace: 'drover-system', name: SECRET },
    });
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
    const [before, after] = [replica(store, 1, clock, ['a.example']), replica(store, 2, clock, ['b.example'])];
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
    const contended = { ...store.api, create: () => Promise.reject(refusal(409, 'AlreadyExists')) } as SelfParts['api'];
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
