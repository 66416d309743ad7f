import { afterAll, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchByCurl } from './curl.ts';
import { isExecutable } from './given.ts';
import { download } from './ways.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-download-'));
afterAll(() => rmSync(root, { recursive: true }));

/** An archive as etcd publishes it: the programs below a folder, which has a folder of a program's name as well. */
const archive = join(root, 'bundle.tar.gz');
mkdirSync(join(root, 'bundle-v1/docs/one'), { recursive: true });
for (const name of ['one', 'two']) writeFileSync(join(root, 'bundle-v1', name), `program ${name}`);
Bun.spawnSync(['tar', '-czf', archive, '-C', root, 'bundle-v1']);
const hex = new Bun.CryptoHasher('sha256').update(readFileSync(archive)).digest('hex');

const url = 'https://example.org/bundle.tar.gz';
const source = { checksums: 'https://example.org/sums', archive: true };
const fetch = async (_url: string, file?: string) => {
  if (file !== undefined) copyFileSync(archive, file);
  return hex;
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'into-'));
});

test('an archive gives the programs wanted, ready to run', async () => {
  const asset = (sums: string) => ({ algorithm: 'sha256', hex: sums, url }) as const;
  await download({ ...source, asset }, { fetch, programs: ['one', 'two'], folder });
  expect(readFileSync(join(folder, 'one'), 'utf8')).toBe('program one');
  expect(isExecutable(join(folder, 'two'))).toBe(true);
});

test('a file with another checksum gives nothing', async () => {
  const asset = () => ({ algorithm: 'sha256', hex: '0'.repeat(64), url }) as const;
  await expect(download({ ...source, asset }, { fetch, programs: ['one'], folder })).rejects.toThrow('not used');
  expect(readdirSync(folder)).not.toContain('one');
});

test('a version that is not published is a sentence', async () => {
  const nothing = { ...source, asset: () => undefined };
  await expect(download(nothing, { fetch, programs: ['one'], folder })).rejects.toThrow(
    'https://example.org/sums has no such version for this platform',
  );
});

test('curl follows to the file and says what the server refused', async () => {
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/moved') return Response.redirect('/here');
      return pathname === '/here' ? new Response('text') : new Response('', { status: 404 });
    },
  });
  const get = fetchByCurl();
  expect(await get(`${server.url}moved`)).toBe('text');
  await expect(get(`${server.url}nowhere`)).rejects.toThrow('404');
  await server.stop(true);
});

test('a host that could not be reached is not asked again', async () => {
  const get = fetchByCurl();
  const failure = (path: string) => get(`http://127.0.0.1:1/${path}`).catch((error: unknown) => error);
  const first = await failure('one');
  expect(first).toBeInstanceOf(Error);
  expect(await failure('other')).toBe(first);
});
