import { expect, test } from 'bun:test';
import { parseDocument } from 'yaml';
import { CHART } from './helm.ts';

interface Schema {
  properties?: Record<string, Schema>;
}

const schema: Schema = await Bun.file(`${CHART}/values.schema.json`).json();
const values = parseDocument(await Bun.file(`${CHART}/values.yaml`).text());

/** Paths of all values that the schema knows, without those whose inside is a matter of the user's. */
const known = (inside: Schema, path: string[] = []): string[][] =>
  Object.entries(inside.properties ?? {}).flatMap(([key, inner]) => {
    const here = [...path, key];
    return inner.properties && !OPEN.has(key) ? known(inner, here) : [here];
  });

/** Empty by default, with keys that only the schema names. */
const OPEN = new Set(['settings', 'podTemplate', 'namespaceSelector', 'issuerRef', 'nodeSelector']);
/** Of a chart that holds this one. */
const FOREIGN = 'global';

test('every value that the schema knows has a default', () => {
  const missing = known(schema).filter((path) => path[0] !== FOREIGN && !values.hasIn(path));
  expect(missing).toEqual([]);
});

test('every default has a sentence', () => {
  const text = values.toString();
  const leaves = known(schema).filter(([first]) => first !== FOREIGN);
  const keys = leaves.map((path) => path.at(-1));
  const bare = text.split('\n').filter((line, index, lines) => {
    const key = /^\s*(\w+):/.exec(line)?.[1];
    return key !== undefined && keys.includes(key) && isLeaf(line, lines[index + 1]) && !said(lines, index);
  });
  expect(bare).toEqual([]);
});

/** It has a value in its line, or is a list or a map whose lines follow. */
const isLeaf = (line: string, next = ''): boolean => /:\s+\S/.test(line) || !next.trim().startsWith('# --');

const said = (lines: readonly string[], index: number): boolean => {
  const above = lines.slice(0, index).reverse();
  const comment = above.slice(
    0,
    above.findIndex((line) => !line.trim().startsWith('#')),
  );
  return comment.some((line) => /# -- [A-Z].*\.$/.test(line.trim()));
};
