import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { codes } from '../../controller/drivers/sdk/errors.ts';
import { metricTables } from '../../controller/manager/metrics.ts';
import { alerts } from '../../hack/generate/monitoring/alerts.ts';
import { webhookMetrics } from '../../webhook/metrics.ts';
import { conditions, events, phases } from '../wire/mcmwords.ts';
import { wordTables } from './vocabulary.ts';

const RECORD = 'hack/decisions/0050-name-what-users-see-in-the-words-of-the-field.md';
const ROW = /^\| `(\w+)` \| `(\w+)` \|/gm;

const listed = new Set([...readFileSync(RECORD, 'utf8').matchAll(ROW)].map(([, , after]) => after));
const mcms = new Set([...conditions, ...events, ...phases, ...Object.keys(codes)]);

const tables = [...wordTables, ...Object.values(metricTables), webhookMetrics];
const names = [
  ...tables.flatMap((table) => Object.keys(table)),
  ...Object.values(alerts)
    .flat()
    .map(({ name }) => name),
];

test('each condition, reason, event, metric and alert stands in the table of words, or is MCM’s (hack/decisions/0050)', () => {
  const ours = names.filter((name) => !mcms.has(name) && !/^(mcm|rest_client|process|bun|nodejs)_/.test(name));
  expect(ours.filter((name) => !listed.has(name))).toEqual([]);
});

test('no word means two things after the change', () => {
  const rows = [...readFileSync(RECORD, 'utf8').matchAll(ROW)].map(([, before = '', after = '']) => ({
    before,
    after,
  }));
  const changed = rows.filter(({ before, after }) => before !== after).map(({ before }) => before);
  expect(
    rows.filter(({ before, after }) => changed.includes(after) && after !== before).map(({ after }) => after),
  ).toEqual([]);
});
