import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../tools/run.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runtime-'));
  writeFileSync(join(folder, 'runc'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What runc is told when docker calls the wrapper with these words. */
async function callsRunc(...words: string[]): Promise<string[]> {
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const printed = await run([join(import.meta.dir, 'runtime.sh'), ...words], { env });
  return printed.trimEnd().split('\n');
}

const capabilities = (...names: string[]) => ({ bounding: names, effective: names, permitted: names, ambient: [] });
const asks = (args: string[], ...names: string[]) => ({ args, capabilities: capabilities(...names) });

const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
const read = (name: string): Promise<unknown> => Bun.file(join(folder, name)).json();

test.each([
  [['CAP_SYS_RESOURCE', 'CAP_CHOWN'], ['CAP_CHOWN']],
  [['CAP_CHOWN', 'CAP_SYS_RESOURCE'], ['CAP_CHOWN']],
  [
    ['CAP_CHOWN', 'CAP_SYS_RESOURCE', 'CAP_KILL'],
    ['CAP_CHOWN', 'CAP_KILL'],
  ],
  [['CAP_SYS_RESOURCE'], []],
  [['CAP_CHOWN'], ['CAP_CHOWN']],
])('a container that asks for %j gets %j', async (asked, gets) => {
  const words = ['--root', '/run/moby', 'create', '--bundle', folder, '--pid-file', 'pid', 'web'];
  write('config.json', { process: asks(['sh'], ...asked), root: { path: 'rootfs' } });
  expect(await callsRunc(...words)).toEqual(words);
  expect(await read('config.json')).toEqual({ process: asks(['sh'], ...gets), root: { path: 'rootfs' } });
});

test('a command in a container gets as little, and its words stay as they are', async () => {
  const args = ['capsh', '--drop=', 'CAP_SYS_RESOURCE', '{"capabilities":{"CAP_SYS_RESOURCE"', '"oomScoreAdj":-7'];
  write('process', asks(args, 'CAP_SYS_RESOURCE', 'CAP_KILL'));
  await callsRunc('exec', '--process', join(folder, 'process'), 'web');
  expect(await read('process')).toEqual(asks(args, 'CAP_KILL'));
});

test.each([
  [-999, 0],
  [0, 0],
  [500, 500],
])('an OOM score of %d becomes %d', async (asked, gets) => {
  write('config.json', { process: { oomScoreAdj: asked } });
  await callsRunc('run', `--bundle=${folder}`, 'web');
  expect(await read('config.json')).toEqual({ process: { oomScoreAdj: gets } });
});

test('other calls go through as they are', async () => {
  expect(await callsRunc('--version')).toEqual(['--version']);
  expect(await callsRunc('state', 'web')).toEqual(['state', 'web']);
});
