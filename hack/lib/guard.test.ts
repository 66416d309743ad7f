import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, markOf, start } from './daemon.ts';
import { guard } from './guard.ts';
import { until } from './until.ts';

test('a guarded folder goes away with its processes, frozen ones as well, when its owner lets go', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-guard-'));
  const folders = { run: join(folder, 'run'), log: join(folder, 'log') };
  const { release } = guard(folder);
  for (const name of ['one', 'frozen']) start(folders, { name, command: ['sleep', '60'] });
  const pids = ['one', 'frozen'].map((name) => Number(find(folders, name)));
  process.kill(pids[1] ?? 0, 'SIGSTOP');
  await release();
  expect(existsSync(folder)).toBe(false);
  // A killed process is gone once the kernel has got round to it.
  const isGone = (pid: number) => markOf(pid) === undefined;
  await until('the processes to be gone', () => pids.every(isGone), { timeoutMs: 4_000, everyMs: 5 });
});

test('an owner that lets go at once, before its guard runs, leaves nothing behind', async () => {
  const folders = Array.from({ length: 5 }, () => mkdtempSync(join(tmpdir(), 'drover-guard-')));
  await Promise.all(folders.map((folder) => guard(folder).release()));
  expect(folders.filter(existsSync)).toEqual([]);
});
