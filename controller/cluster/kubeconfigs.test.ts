import { expect, test } from 'bun:test';
import type { Secret } from '../runtime/k8s/core.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { Kubeconfigs } from './kubeconfigs.ts';
import { cluster } from './view.fixture.ts';

const textTo = (server: string): string =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
  });

const secret = (text: string, key = 'kubeconfig'): Secret => ({
  metadata: { name: 'east', namespace: 'herd', resourceVersion: '1' },
  data: { [key]: btoa(text) },
});

function kubeconfigs() {
  const secrets = new Cache<Secret>();
  const trust = { hasName: () => false, listsName: () => false, hasAddress: () => false };
  return { secrets, read: new Kubeconfigs({ secrets, judging: { trust } as never }) };
}

// hack/decisions/0028 T9
test('a kubeconfig is read once, and anew when its text is another one', () => {
  const { secrets, read } = kubeconfigs();
  secrets.put(secret(textTo('https://a.example')));
  const first = read.of(cluster());
  expect(first).toMatchObject({ at: 'usable', connection: { server: 'https://a.example' } });
  secrets.put(secret(textTo('https://a.example')));
  expect(read.of(cluster({ paused: true }))).toBe(first);
  secrets.put(secret(textTo('https://b.example')));
  expect(read.of(cluster())).toMatchObject({ at: 'usable', connection: { server: 'https://b.example' } });
});

test('a text that cannot be used is read once as well, until the Cluster names another key or is gone', () => {
  const { secrets, read } = kubeconfigs();
  secrets.put(secret('{'));
  const first = read.of(cluster());
  expect(first).toMatchObject({ at: 'invalid', why: expect.stringContaining('YAML') });
  expect(read.of(cluster())).toBe(first);
  const other = cluster({ kubeconfigSecretRef: { name: 'east', key: 'other' } });
  expect(read.of(other)).toEqual({ at: 'missing', why: 'Secret "east" has no key "other"' });
  read.forget('herd/east');
  expect(read.of(cluster())).not.toBe(first);
});

// hack/decisions/0028 T18
test('a text that many Clusters name is read once for all of them', () => {
  const { secrets, read } = kubeconfigs();
  const clusters = Array.from({ length: 500 }, (_, n) => {
    const one = cluster();
    return { ...one, metadata: { ...one.metadata, name: `c${n}` } };
  });
  for (const text of [textTo('https://a.example'), '{']) {
    secrets.put(secret(text));
    const first = read.of(clusters[0] ?? cluster());
    for (const one of clusters) expect(read.of(one)).toBe(first);
  }
  const known = read.of(cluster());
  for (const { metadata } of clusters) read.forget(`herd/${metadata.name}`);
  expect(read.of(cluster())).toBe(known);
});

test('of a Secret of the same name in another namespace nothing is taken', () => {
  const { secrets, read } = kubeconfigs();
  secrets.put(secret(textTo('https://a.example')));
  const one = cluster();
  const other = { ...one, metadata: { ...one.metadata, namespace: 'farm' } };
  expect(read.of(one)).toMatchObject({ at: 'usable' });
  expect(read.of(other)).toMatchObject({ at: 'missing' });
});

test('what is not there is told', () => {
  const { read } = kubeconfigs();
  expect(read.of(cluster())).toEqual({ at: 'missing', why: 'Secret "east" does not exist' });
  expect(read.of(cluster({ kubeconfigSecretRef: undefined }))).toMatchObject({ at: 'invalid' });
});
