import { expect, test } from 'bun:test';

/** Runs a command that is written as an expression, in a process of its own; `SIGINT` arrives when it says `ready`. */
async function ended(command: string): Promise<{ code: number; stderr: string }> {
  const script = `
    import { runCommand } from '${import.meta.dir}/command.ts';
    process.exit(await runCommand(${command}, []));
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' });
  for await (const chunk of child.stdout) if (new TextDecoder().decode(chunk).includes('ready')) child.kill('SIGINT');
  return { code: await child.exited, stderr: await child.stderr.text() };
}

test.each([
  ['its own code', 'async () => 7', { code: 7, stderr: '' }],
  [
    '1 for an error, which is told with its cause',
    "async () => { throw new Error('no herd', { cause: new Error('no API server') }); }",
    { code: 1, stderr: 'no herd\nno API server\n' },
  ],
  [
    '130 for an interruption, which is no error',
    `async (_, ending) => {
      const signal = ending();
      console.log('ready');
      await new Promise((_, reject) => { setInterval(() => signal.aborted && reject(signal.reason), 10); });
    }`,
    { code: 130, stderr: '' },
  ],
])('a command ends with %s', async (_what, command, expected) => {
  expect(await ended(command)).toEqual(expected);
});
