import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { find, lastLines, markOf, running, start, stop } from './daemon.ts';
import { until } from './until.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-daemon-'));
const folders = { run: join(folder, 'run'), log: join(folder, 'log') };
afterAll(() => rmSync(folder, { recursive: true }));

const sleeper = (name: string) => ({ name, command: ['sleep', '60'] });

test('a program runs under its name until it is stopped', async () => {
  start(folders, sleeper('one'));
  expect(find(folders, 'one')).toBeNumber();
  expect(running(folders)).toEqual(['one']);
  await stop(folders, 'one', 5_000);
  expect(find(folders, 'one')).toBeUndefined();
  expect(running(folders)).toEqual([]);
});

test('a program that does not mind SIGTERM is killed', async () => {
  start(folders, { name: 'stubborn', command: ['sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done'] });
  await until('the trap', () => lastLines(folders, 'stubborn') === 'ready', { timeoutMs: 5_000 });
  await stop(folders, 'stubborn', 100);
  expect(running(folders)).toEqual([]);
});

test('a process that got the pid of an earlier one is neither found nor killed', async () => {
  const stranger = Bun.spawn(['sleep', '60']);
  mkdirSync(folders.run, { recursive: true });
  writeFileSync(join(folders.run, 'old.pid'), `${stranger.pid}\nanother boot 12345\n`);
  expect(find(folders, 'old')).toBeUndefined();
  await stop(folders, 'old');
  expect(markOf(stranger.pid)).toBeString();
  stranger.kill();
});

test('a process that has ended has no mark, though its parent has not yet looked', async () => {
  const child = Bun.spawn(['true']);
  await child.exited;
  expect(markOf(child.pid)).toBeUndefined();
});

test('output is appended to the log', async () => {
  const speaker = { name: 'speaker', command: ['sh', '-c', 'echo out; echo err >&2'] };
  for (const count of [2, 4]) {
    start(folders, speaker);
    const lines = () => readFileSync(join(folders.log, 'speaker.log'), 'utf8').trim().split('\n');
    await until('the output', () => lines().length === count, { timeoutMs: 5_000 });
  }
  expect(lastLines(folders, 'speaker', 3)).toBe('err\nout\nerr');
});
