import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { valueRows } from './valuerows.ts';

test('values are read with their paths, defaults and comments', () => {
  const text = `# Of the file.

# -- Begins names.
name: ""

image:
  # -- Where it is.
  # @link elsewhere
  repository: drover
  # -- Merged as one.
  labels:
    a: "1"
  bare: 3
`;
  expect(valueRows(text)).toEqual([
    { path: 'name', fallback: '""', description: 'Begins names.' },
    { path: 'image.repository', fallback: '"drover"', description: 'Where it is.' },
    { path: 'image.labels', fallback: '{"a":"1"}', description: 'Merged as one.' },
    { path: 'image.bare', fallback: '3', description: '' },
  ]);
});

test('each value of the chart is explained', async () => {
  const rows = valueRows(await Bun.file(join(import.meta.dir, '../../charts/drover/values.yaml')).text());
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(({ description }) => description === '').map(({ path }) => path)).toEqual([]);
});
