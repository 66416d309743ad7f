import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { codes } from '../../controller/drivers/sdk/errors.ts';
import { metricTables } from '../../controller/manager/metrics.ts';
import * as keys from '../../schemas/keys.ts';
import { phase } from '../../schemas/machinestatus.ts';
import { lastOperation } from '../../schemas/reported.ts';
import * as words from './mcmwords.ts';

/** The code that says them, without tests. */
const files = ['controller/**/*.ts', 'schemas/**/*.ts'].flatMap((pattern) => [...new Glob(pattern).scanSync('.')]);
const code = files.filter((path) => !/\.(test|fixture|fake)\.ts$/.test(path));
const text = (await Promise.all(code.map((path) => Bun.file(path).text()))).join('\n');
/** With keys that are put together out of a group and a name. */
const source = [text, ...Object.values(keys).flat()].map((part, at) => (at > 0 ? `'${part}'` : part)).join('\n');

/** Whether the code says a word as a whole: as a string, as a part of a template, or as the name of a property. */
const isSaid = (word: string): boolean =>
  [`'${word}'`, `"${word}"`, `\n  ${word}: {`, `\${name} ${word}\``].some((form) => source.includes(form));

/** What a field may be, out of what it is made of. */
const optionsOf = (field: object): unknown =>
  JSON.parse(/"options":(\[[^\]]*\])/.exec(JSON.stringify(field))?.[1] ?? '');

test('phases, operations and states are those of MCM', () => {
  expect(phase.options).toEqual(words.phases as typeof phase.options);
  const { type, state } = lastOperation.entries;
  expect(optionsOf(type)).toEqual(words.operationTypes);
  expect(optionsOf(state)).toEqual(words.operationStates);
});

test('codes of errors have MCM’s names and numbers', () => {
  expect(codes).toEqual(words.errorCodes as typeof codes);
});

test('descriptions that are looked for are said as they are', () => {
  expect(words.descriptions.filter((part) => !source.includes(part))).toEqual([]);
});

test.each([
  ['conditions of sets and deployments', words.conditions],
  ['conditions of Nodes', words.nodeConditions],
  ['events', words.events],
  ['keys', words.keys],
  ['leases', words.leases],
  ['placeholders', words.placeholders],
])('%s are spelt as MCM spells them', (_what, list) => {
  expect(list.filter((word) => !isSaid(word))).toEqual([]);
});

test('metrics have MCM’s names and labels', () => {
  const all: Readonly<Record<string, { labels: readonly string[] }>> = Object.assign(
    {},
    ...Object.values(metricTables),
  );
  expect(Object.fromEntries(Object.keys(words.metrics).map((name) => [name, all[name]?.labels.toSorted()]))).toEqual(
    Object.fromEntries(Object.entries(words.metrics).map(([name, labels]) => [name, labels.toSorted()])),
  );
});
