import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { machine } from '../../../test/fixtures/objects.ts';
import { Api } from '../../runtime/client/api.ts';
import { noCredentials } from '../../runtime/client/connection.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { slimToken } from './token.ts';
import { bench } from './tokens.fixture.ts';

// hack/decisions/0028 T60: a target answers each creation of a token with megabytes, and a version that its watch never reaches.

const MACHINES = 40;
const MOST_MIB = 8;

const answer = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'kube-system', uid: name, resourceVersion: '99999999999999', labels: { a: 'b' } },
  data: {
    'token-id': btoa('abcdef'),
    'token-secret': btoa('0123456789abcdef'),
    expiration: btoa('2099-01-01T00:00:00Z'),
    more: btoa('more'),
  },
});

test('what a target answers to the creation of tokens is not kept, whatever its watch shows', async () => {
  const { tokens, cluster, cache } = bench();
  cache.reset([], '1');
  const junk = JSON.stringify(Array.from({ length: 300_000 }, () => []));
  let at = 0;
  const send = async () => {
    const text = JSON.stringify({ ...answer(`bootstrap-token-${String(at++).padStart(6, '0')}`), junk: 0 });
    const headers = { 'content-type': 'application/json' };
    return new Response(text.replace('"junk":0', `"junk":${junk}`), { status: 201, headers });
  };
  const connection = { server: 'http://target', credentials: noCredentials, send };
  Object.assign(cluster, { api: new Api({ connection, clock: new FakeClock() }) });
  Bun.gc(true);
  const before = heapStats().heapSize;
  const of = (one: number) => machine({ metadata: { name: `m${one}`, uid: `uid-${one}` } });
  for (let one = 0; one < MACHINES; one++) await tokens.make(of(one));
  Bun.gc(true);
  expect((heapStats().heapSize - before) / (1 << 20)).toBeLessThan(MOST_MIB);
  expect(tokens.textOf(of(0))).toBe('abcdef.0123456789abcdef');
});

test('of a token what is read of it is kept, as far as no text is too long', () => {
  const { metadata, data } = answer('bootstrap-token-abcdef');
  const kept = {
    metadata: { name: metadata.name, namespace: 'kube-system', uid: metadata.uid, resourceVersion: '99999999999999' },
    data: { 'token-id': data['token-id'], 'token-secret': data['token-secret'], expiration: data.expiration },
  };
  expect(slimToken({ metadata, data })).toEqual(kept);
  const long = 'x'.repeat(257);
  const texts = { 'token-id': long, 'token-secret': 7 as unknown as string, expiration: long };
  expect(slimToken({ metadata: { name: long, uid: long, resourceVersion: long }, data: texts })).toEqual({
    metadata: { name: '', namespace: 'kube-system', uid: undefined, resourceVersion: undefined },
    data: { 'token-id': '', 'token-secret': '', expiration: '' },
  });
});
