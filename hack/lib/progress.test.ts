import { expect, test } from 'bun:test';
import { elapsed, withProgress } from './progress.ts';

test.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [80_000, '1 min 20 s'],
  [3_600_000, '60 min 0 s'],
])('%d ms is %s', (ms, words) => {
  expect(elapsed(ms)).toBe(words);
});

test('without a terminal a line says what begins and another how it ended', async () => {
  const written: string[] = [];
  const screen = { write: (text: string) => written.push(text) };
  await withProgress(screen, 'building', async () => undefined);
  expect(written).toEqual(['building …\n', 'building: done in 0 s\n']);
  await expect(withProgress(screen, 'building', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
