import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { configMaps } from '../k8s/core.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { FakeServer, json } from '../server.fake.ts';
import { Api } from './api.ts';
import { Warnings, warningsIn } from './warnings.ts';

// hack/decisions/0028 R10

test.each([
  ['299 - "a is deprecated"', ['a is deprecated']],
  ['299 - "a", 299 - "b, \\"c\\""', ['a', 'b, "c"']],
  ['299 - "a" "Sat, 25 Aug 2012 23:34:45 GMT", 199 - "b"', ['a']],
  ['110 - "stale"', []],
  ['299 - unquoted', []],
  ['299 - "without an end', ['without an end']],
  [`299 - "${'x'.repeat(9_000)}"`, ['x'.repeat(512)]],
  ['299 "'.repeat(3), ['299 ', '']],
])('%s', (header, texts) => {
  expect(warningsIn(header)).toEqual(texts);
});

test('a warning is logged once, whichever calls it came with', async () => {
  const headers = { warning: '299 - "unknown field \\"wool\\"", 299 - "v1beta1 is deprecated"' };
  const answer = json({ metadata: { name: 'dolly' } }, { headers });
  using server = new FakeServer(answer, answer);
  const log = new FakeLog();
  const api = new Api({ connection: server.connection, clock: new FakeClock(), log });
  for (let calls = 0; calls < 2; calls++) await api.get(configMaps, { namespace: 'farm', name: 'dolly' });
  expect(log.lines.map(({ level, fields }) => `${level}: ${fields['warning']}`)).toEqual([
    'warn: unknown field "wool"',
    'warn: v1beta1 is deprecated',
  ]);
  expect(log.lines[0]?.fields['call']).toBe('get configmaps farm/dolly');
});

test('a server that warns of ever new things is heard to a bound', () => {
  const log = new FakeLog();
  const warnings = new Warnings(log);
  for (let count = 0; count < 1_000; count++) warnings.tell(`299 - "thing ${count}"`, 'list nodes');
  expect(log.lines).toHaveLength(200);
});
