import { describe, expect, test } from 'bun:test';
import { environmentProxies } from './proxies.ts';

// hack/decisions/0028 M10

const PROXY = 'http://proxy.example:3128';
const proxyOf = (url: string, env: Record<string, string>) => environmentProxies(env)(new URL(url));

test.each<[string, Record<string, string>, string | undefined]>([
  ['https://api.example', {}, undefined],
  ['https://api.example', { HTTPS_PROXY: PROXY }, PROXY],
  ['https://api.example', { https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, PROXY],
  ['https://api.example', { https_proxy: '', HTTPS_PROXY: PROXY }, PROXY],
  ['https://api.example', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
  ['https://api.example', { ALL_PROXY: PROXY }, PROXY],
  ['https://api.example', { HTTP_PROXY: PROXY }, undefined],
  ['http://api.example', { HTTP_PROXY: PROXY }, PROXY],
  ['https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
  ['https://127.0.0.1:6443', { HTTPS_PROXY: PROXY }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY: PROXY }, undefined],
])('%p goes with %p by %p', (url, env, proxy) => {
  expect(proxyOf(url, env)).toBe(proxy);
});

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://api.example'],
    ['api.example', 'https://api.example'],
    ['other.example, API.Example ', 'https://api.EXAMPLE.:6443'],
    ['example', 'https://api.example'],
    ['.example', 'https://api.example'],
    ['*.example', 'https://a.api.example'],
    ['api.example:6443', 'https://api.example:6443'],
    ['api.example:443', 'https://api.example'],
    ['192.0.2.1', 'https://192.0.2.1'],
    ['192.0.2.1:6443', 'https://192.0.2.1:6443'],
    ['192.0.2.0/24', 'https://192.0.2.7'],
    ['2001:db8::/32', 'https://[2001:db8:0::7]'],
    ['2001:db8:0:0::1', 'https://[2001:db8::1]'],
    ['[2001:db8::1]:6443', 'https://[2001:db8::1]:6443'],
  ])('%p spares %p, spelt either way', (exceptions, url) => {
    expect(proxyOf(url, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions })).toBeUndefined();
    expect(proxyOf(url, { HTTPS_PROXY: PROXY, no_proxy: exceptions })).toBeUndefined();
  });

  test.each([
    ['', 'https://api.example'],
    ['ample', 'https://api.example'],
    ['.api.example', 'https://api.example'],
    ['api.example:443', 'https://api.example:6443'],
    ['192.0.2.0/24', 'https://192.0.3.7'],
    ['192.0.2.0/24', 'https://api.example'],
    ['192.0.2.0/99, x/8, 1/', 'https://192.0.2.7'],
  ])('%p leaves %p to the proxy', (exceptions, url) => {
    expect(proxyOf(url, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions })).toBe(PROXY);
  });
});
