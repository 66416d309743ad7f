import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexFor, verify } from './checksum.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-checksum-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['two spaces', 'aa  one\nbb  two\n', 'bb'],
  ['a star for binary', 'bb *two\n', 'bb'],
  ['Windows line ends', 'aa  one\r\nbb  two\r\n', 'bb'],
  ['a longer name that ends alike', 'aa  twenty-two\n', undefined],
  ['nothing', '', undefined],
])('a list with %s', (_what, list, hex) => {
  expect(hexFor('two', list)).toBe(hex);
});

test('a file passes only with the published checksum', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, 'abc');
  const hex = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  const asset = { algorithm: 'sha256', url: 'https://example.org/abc' } as const;
  await verify(file, { ...asset, hex });
  await expect(verify(file, { ...asset, hex: '0'.repeat(64) })).rejects.toThrow(
    `https://example.org/abc has sha256 ${hex}, but ${'0'.repeat(64)} is published: not used`,
  );
});
