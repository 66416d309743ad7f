import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differences, writeFiles } from './files.ts';

const files = [
  { path: 'made/a.yaml', content: 'a: 1\n' },
  { path: 'README.md', content: 'hello\n' },
];
const folder = mkdtempSync(join(tmpdir(), 'drover-generate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newPlace = () => ({ root: mkdtempSync(join(folder, 'place-')), wholly: 'made' });

describe('generated files', () => {
  test('do not differ once they are written', async () => {
    const place = newPlace();
    expect(await differences(place, files)).toHaveLength(2);
    await writeFiles(place, files);
    expect(await differences(place, files)).toEqual([]);
  });

  test('differ line by line after an edit', async () => {
    const place = newPlace();
    await writeFiles(place, files);
    writeFileSync(join(place.root, 'made/a.yaml'), 'a: 2\n');
    const [text] = await differences(place, files);
    expect(text).toStartWith('made/a.yaml is out of date:\n');
    expect(text).toContain('\n-a: 2\n+a: 1\n');
  });

  test('that nobody makes any more are shown, then removed', async () => {
    const place = newPlace();
    await writeFiles(place, files);
    writeFileSync(join(place.root, 'made/old.yaml'), 'old: true\n');
    writeFileSync(join(place.root, 'mine.txt'), 'stays\n');
    expect(await differences(place, files)).toEqual([expect.stringContaining('-old: true')]);
    await writeFiles(place, files);
    expect(existsSync(join(place.root, 'made/old.yaml'))).toBe(false);
    expect(readFileSync(join(place.root, 'mine.txt'), 'utf8')).toBe('stays\n');
  });
});
