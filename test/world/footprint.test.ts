import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** So many files are read by who follows one Machine's creation; a new one takes the place of another (CONTRIBUTING.md, a file is one idea). */
const MOST_FILES = 75;

test('one Machine takes few files', async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'footprint.ts')], { stderr: 'inherit' });
  const files = (await new Response(child.stdout).json()) as string[];
  expect(files).toContain('controller/machine/flow/launch.ts');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST_FILES);
}, 60_000);
