import { expect } from 'bun:test';

/**
 * Compares a text with a golden file, which lies under a folder `testdata`. With `UPDATE_GOLDEN=1` in the environment the
 * file is written instead; look at the difference before you commit it.
 */
export async function expectGolden(path: string, text: string): Promise<void> {
  if (!path.includes('/testdata/')) throw new Error(`golden files lie under testdata/, not at ${path}`);
  if (process.env['UPDATE_GOLDEN']) await Bun.write(path, text);
  expect(text).toBe(await Bun.file(path).text());
}
