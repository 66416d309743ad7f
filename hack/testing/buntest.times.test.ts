import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepTimes, lendTimes } from './buntest.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-times-'));
afterAll(() => rmSync(root, { recursive: true }));

/** What is lent in a folder in which this is kept. */
async function lent(kept: string | undefined, long: readonly string[]): Promise<unknown> {
  const folder = join(root, crypto.randomUUID());
  const file = join(folder, 'times.json');
  if (kept !== undefined) await keepTimes(folder, await written(join(folder, 'ran.json'), kept));
  await lendTimes(folder, file, long);
  return (await Bun.file(file).json()).files;
}

async function written(file: string, text: string): Promise<string> {
  await Bun.write(file, text);
  return file;
}

test.each<[string, string | undefined, object]>([
  ['before the first run long files are guessed at', undefined, { 'a.test.ts': 60_000 }],
  [
    'later what they took counts, as that of others does',
    JSON.stringify({ version: 1, files: { 'a.test.ts': 7, 'b.test.ts': 9 } }),
    { 'a.test.ts': 7, 'b.test.ts': 9 },
  ],
  ['what cannot be read counts as nothing', '{"vers', { 'a.test.ts': 60_000 }],
])('%s', async (_what, kept, expected) => {
  expect(await lent(kept, ['a.test.ts'])).toEqual(expected);
});
