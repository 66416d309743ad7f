import { expect, test } from 'bun:test';
import { serversOrNone } from './value.ts';

test.each([
  ['', []],
  ['10.0.0.0/8, FD00::/8', ['10.0.0.0/8', 'fd00::/8']],
  ['127.0.0.1,::1,api.example,.Example', ['127.0.0.1', '::1', 'api.example', '.example']],
])('%j are the servers %j', (text, servers) => {
  expect(serversOrNone.read(text)).toEqual(servers);
});

test.each([
  '10.0.0.0/33',
  '10.0.0/8',
  '::/129',
  '10.0.0.1/8/8',
  '1.2.3',
  'a_b',
  'https://a',
  'a:6443',
  '*.example',
  'a..b',
  '/8',
])('%j is refused', (text) => {
  expect(serversOrNone.read(text)).toBeUndefined();
});
