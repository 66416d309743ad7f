import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disown, isOwned, own } from './cluster.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'owner-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('nobody owns a folder at first', () => expect(isOwned(folder)).toBe('never'));

test('the process that owns it runs', () => {
  own(folder);
  expect(isOwned(folder)).toBe('yes');
  disown(folder);
  expect(isOwned(folder)).toBe('never');
});

test.each([`${process.pid}\nanother boot 7\n`, '999999999\nboot 7\n', ''])('owner %j is no more', (text) => {
  writeFileSync(join(folder, 'owner'), text);
  expect(isOwned(folder)).toBe('no more');
});
