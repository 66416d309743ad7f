import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../tools/run.ts';
import { tar } from './tar.ts';

const folder = mkdtempSync(join(tmpdir(), 'tar-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entries = [
  { path: 'tmp', mode: 0o1777 },
  { path: 'usr/bin/hello', content: '#!/bin/sh\n', mode: 0o755 },
  { path: 'etc/empty', content: '' },
  { path: 'etc/block', content: new Uint8Array(512).fill(65) },
];

test('any tar program reads it: folders before their files, all of root, all of one time', async () => {
  await Bun.write(join(folder, 'a.tar'), tar(entries, 86_400));
  const listed = await run(['tar', '--list', '--verbose', '--numeric-owner', '--utc', '--file', join(folder, 'a.tar')]);
  expect(
    listed
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +/g, ' ')),
  ).toEqual([
    'drwxr-xr-x 0/0 0 1970-01-02 00:00 etc/',
    '-rw-r--r-- 0/0 512 1970-01-02 00:00 etc/block',
    '-rw-r--r-- 0/0 0 1970-01-02 00:00 etc/empty',
    'drwxrwxrwt 0/0 0 1970-01-02 00:00 tmp/',
    'drwxr-xr-x 0/0 0 1970-01-02 00:00 usr/',
    'drwxr-xr-x 0/0 0 1970-01-02 00:00 usr/bin/',
    '-rwxr-xr-x 0/0 10 1970-01-02 00:00 usr/bin/hello',
  ]);
});

test('what is unpacked is what was packed', async () => {
  await Bun.write(join(folder, 'b.tar'), tar(entries, 0));
  await run(['tar', '--extract', '--file', join(folder, 'b.tar'), '--directory', folder]);
  expect(await Bun.file(join(folder, 'usr/bin/hello')).text()).toBe('#!/bin/sh\n');
  expect(await Bun.file(join(folder, 'etc/block')).text()).toBe('A'.repeat(512));
});

test('the order in which entries are given makes no difference', () => {
  expect(tar(entries.toReversed(), 7).equals(tar(entries, 7))).toBe(true);
});

test('a name that is too long is refused', () => {
  expect(() => tar([{ path: 'x'.repeat(101), content: '' }], 0)).toThrow('its name has more than 100 bytes');
});
