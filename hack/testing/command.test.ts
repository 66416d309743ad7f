import { expect, test } from 'bun:test';
import { runBun } from './command.ts';

test.each([
  ['process.exit(0)', 0],
  ['process.exit(3)', 3],
  ['process.kill(process.pid, 9)', 137],
])('%s ends with code %p', async (script, code) => {
  expect(await runBun(['-e', script], { signal: new AbortController().signal })).toBe(code);
});

test('an abort ends the command', async () => {
  const ending = new AbortController();
  const run = runBun(['-e', 'setInterval(() => {}, 1000)'], { signal: ending.signal });
  ending.abort();
  expect(await run).toBe(143);
});

test('a function hears each line of the output', async () => {
  const lines: string[] = [];
  const script = 'process.stdout.write("one\\ntwo\\n\\nlast")';
  const output = (line: string) => lines.push(line);
  expect(await runBun(['-e', script], { signal: new AbortController().signal, output })).toBe(0);
  expect(lines).toEqual(['one', 'two', '', 'last']);
});

test('a command has variables beside ours', async () => {
  const lines: string[] = [];
  const script = 'console.log(process.env.ROUND, process.env.PATH === undefined)';
  const surroundings = { signal: new AbortController().signal, env: { ROUND: '2' } };
  await runBun(['-e', script], { ...surroundings, output: (line) => lines.push(line) });
  expect(lines).toEqual(['2 false']);
});
