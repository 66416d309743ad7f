import { expect, test } from 'bun:test';
import { candidatesOf, searchListIn } from './resolve.ts';

// hack/decisions/0028 O21

const POD = `search herd.svc.cluster.local svc.cluster.local cluster.local corp.
nameserver 10.96.0.10
options ndots:5 edns0
`;

test.each([
  ['a pod', POD, {}, ['herd.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp'], 5],
  ['nothing', '', {}, [], 1],
  ['a domain', 'search a b\ndomain c d', {}, ['c'], 1],
  ['the last one', 'domain c\nsearch a\t b  ', {}, ['a', 'b'], 1],
  ['the root', 'search . a.', {}, ['', 'a'], 1],
  ['comments', '#search a\n; search b\noptions ndots:x', {}, [], 1],
  ['the environment', POD, { LOCALDOMAIN: 'own  other', RES_OPTIONS: 'timeout:1 ndots:2' }, ['own', 'other'], 2],
  ['an empty list of the environment', POD, { LOCALDOMAIN: '' }, [], 5],
  ['dots beyond all bounds', 'options ndots:99', {}, [], 15],
])('a search list is read of %s', (_what, text, env, domains, ndots) => {
  expect(searchListIn(text, env)).toEqual({ domains, ndots });
});

test('no more domains are searched than a pod may have', () => {
  const domains = Array.from({ length: 99 }, (_, at) => `d${at}`);
  expect(searchListIn(`search ${domains.join(' ')}`).domains).toEqual(domains.slice(0, 32));
});

test.each([
  ['api.example', 1, ['api.example.', 'api.example.a.', 'api.example.b.']],
  ['api.example', 2, ['api.example.a.', 'api.example.b.', 'api.example.']],
  ['api', 1, ['api.a.', 'api.b.', 'api.']],
  ['api', 0, ['api.', 'api.a.', 'api.b.']],
  ['api.example.', 5, ['api.example.']],
])('%s with ndots:%p is asked for as %p', (name, ndots, candidates) => {
  expect(candidatesOf(name, { domains: ['a', 'b'], ndots })).toEqual(candidates);
});

test('nobody is asked twice, nor for what is longer than a name', () => {
  expect(candidatesOf('api', { domains: ['', 'a', 'a'], ndots: 1 })).toEqual(['api.', 'api.a.']);
  const long = `${'x'.repeat(60)}.`.repeat(4);
  expect(candidatesOf(`${long}abcd`, { domains: ['too.long'], ndots: 9 })).toEqual([`${long}abcd.`]);
  expect(candidatesOf('x'.repeat(254), { domains: [], ndots: 1 })).toEqual([]);
});
