import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached, cacheFolder, install } from './cache.ts';
import { givenTool } from './given.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-cache-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bundle = { name: 'bundle', version: '1', programs: ['one', 'two'] };
const program = (path: string) => writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });

test('programs are in the cache once all of them are made', async () => {
  await install(folder, bundle, async (into) => {
    program(join(into, 'one'));
    expect(cached(folder, [bundle], 'one')).toBeUndefined();
    program(join(into, 'two'));
  });
  expect(cached(folder, [bundle], 'two')).toBe(join(folder, 'bundle/1/two'));
  expect(readdirSync(join(folder, 'bundle'))).toEqual(['1']);
});

test('what failed or was left half made is not found and goes away', async () => {
  const broken = { name: 'broken', version: '1', programs: ['one'] };
  const fail = async (into: string) => {
    expect(readdirSync(into)).toEqual([]);
    program(join(into, 'half'));
    throw new Error('no room');
  };
  for (let turn = 0; turn < 2; turn++) await expect(install(folder, broken, fail)).rejects.toThrow('no room');
  expect(cached(folder, [broken], 'one')).toBeUndefined();
  expect(existsSync(join(folder, 'broken/1'))).toBe(false);
});

test.each([
  [{ XDG_CACHE_HOME: '/x', HOME: '/home/jane' }, '/x/drover'],
  [{ XDG_CACHE_HOME: '', HOME: '/home/jane' }, '/home/jane/.cache/drover'],
])('with %o the cache is %s', (env, path) => {
  expect(cacheFolder(env)).toBe(path);
});

test('a given tool is taken from DROVER_BIN before KUBEBUILDER_ASSETS, if it may be run', () => {
  const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')];
  for (const path of [ours, theirs]) mkdirSync(path);
  for (const path of [join(ours, 'etcd'), join(theirs, 'etcd'), join(theirs, 'kubectl')]) program(path);
  writeFileSync(join(ours, 'kubectl'), 'text', { mode: 0o644 });
  const env = { DROVER_BIN: ours, KUBEBUILDER_ASSETS: theirs };
  expect(givenTool('etcd', env)).toBe(join(ours, 'etcd'));
  expect(givenTool('kubectl', env)).toBe(join(theirs, 'kubectl'));
  expect(givenTool('etcd', {})).toBeUndefined();
});
