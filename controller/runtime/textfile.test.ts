import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TextFile } from './textfile.ts';

const folder = mkdtempSync(join(tmpdir(), 'textfile-'));
afterAll(() => rmSync(folder, { recursive: true }));
const inFolder = (name: string) => join(folder, name);

test('the text comes without white space around it', () => {
  writeFileSync(inFolder('a'), 'one\n\n');
  expect(new TextFile(inFolder('a')).read()).toBe('one');
});

test('another file under the name is seen at once, through links as well', () => {
  writeFileSync(inFolder('v1'), 'one');
  writeFileSync(inFolder('v2'), 'two');
  symlinkSync('v1', inFolder('link'));
  const file = new TextFile(inFolder('link'));
  expect(file.read()).toBe('one');
  symlinkSync('v2', inFolder('next'));
  renameSync(inFolder('next'), inFolder('link'));
  expect(file.read()).toBe('two');
});

test('a change that the file system cannot show is seen after forget', () => {
  writeFileSync(inFolder('b'), 'one');
  utimesSync(inFolder('b'), 1, 1);
  const file = new TextFile(inFolder('b'));
  file.read();
  writeFileSync(inFolder('b'), 'two');
  utimesSync(inFolder('b'), 1, 1);
  expect(file.read()).toBe('one');
  file.forget();
  expect(file.read()).toBe('two');
});

test.each([
  ['is missing', 'none', undefined, 'none cannot be read'],
  ['holds nothing', 'blank', ' \n', 'blank is empty'],
])('a file that %s is an error that names it', (_what, name, text, says) => {
  if (text !== undefined) writeFileSync(inFolder(name), text);
  expect(() => new TextFile(inFolder(name)).read()).toThrow(inFolder(says));
});
