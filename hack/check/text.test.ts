import { expect, test } from 'bun:test';
import { textLint } from './text.ts';

const unfinished = 'unfinished work belongs into an issue, not into the code';
const registry = 'a package registry is named: which one is used is a setting of the machine';
const machine = "a path of one machine is named: take it from a setting, or from the system's temporary folder";
/** Puts together what may not stand in a file, this one included. */
const host = (...labels: string[]) => labels.join('.');
const path = (...names: string[]) => `/${names.join('/')}`;
const merging = 'a merge left its mark: decide which side holds';
const word = `TO${'DO'}`;

test.each([
  [`// ${word}: later`, [unfinished]],
  [`# ${word} later`, [unfinished]],
  [` * ${word} later`, [unfinished]],
  [`the list of ${word}s`, []],
  [`https://${host('registry', 'npmjs', 'org')}/x`, [registry]],
  [`GOPROXY=https://${host('proxy', 'golang', 'org')}`, [registry]],
  ['golang.org/x/net', []],
  ['registry.example.com', []],
  [`cd ${path('work', 'main')}`, [machine]],
  [`"${path('tmp', 'x')}"`, [machine]],
  ['mountPath: /tmp', []],
  ['https://example.com/tmp/x', []],
  ['~/work/drover', []],
  ['a/root/b', []],
  [`${'<'.repeat(7)} HEAD`, [merging]],
  [`${'>'.repeat(7)} a1b2c3d (fix: x)`, [merging]],
  ['<<<< HEAD', []],
])('%p', (text, found) => {
  expect(textLint({ path: 'a.md', text: `\n${text}\n` })).toEqual(
    found.map((message) => ({ path: 'a.md', line: 2, message })),
  );
});
