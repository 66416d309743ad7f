import { expect, test } from 'bun:test';
import { hostsIn } from './resolve.ts';

// hack/decisions/0028 O21

const HOSTS = hostsIn(`127.0.0.1 localhost
::1\tlocalhost ip6-localhost # loopback
  192.0.2.7   Api.Example  api # 192.0.2.8 commented
192.0.2.9 api.example
192.0.2.7 api.example
fe80::1%eth0 scoped
nonsense api.example
#192.0.2.1 off

192.0.2.10`);

test.each([
  ['localhost', ['127.0.0.1', '::1']],
  ['ip6-localhost', ['::1']],
  ['api.example', ['192.0.2.7', '192.0.2.9']],
  ['api', ['192.0.2.7']],
])('%s has its addresses of all lines, by name and alias, whatever its case', (name, addresses) => {
  expect(HOSTS.get(name)).toEqual(addresses);
});

test.each(['scoped', 'commented', 'off', '192.0.2.8', ''])('%p is no name of it', (name) => {
  expect(HOSTS.has(name)).toBe(false);
});
