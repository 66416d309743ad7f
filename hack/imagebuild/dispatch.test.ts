import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { readDrover } from './dispatch.ts';

const MAIN = join(import.meta.dir, 'drover.ts');

async function drover(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([process.execPath, MAIN, ...args], { stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

test.each([
  [['webhok'], '"webhok" is not a command of drover; did you mean webhook?'],
  [['machine'], '"machine" is not a command of drover; see drover --help'],
  [['constructor'], '"constructor" is not a command of drover; see drover --help'],
  [['--port=1'], '"--port=1" is not a command of drover; see drover --help'],
  [[], 'drover needs a command: controller, webhook, check; see drover --help'],
])('%p is refused: %s', (args, text) => {
  expect(readDrover(args)).toEqual({ do: 'print', text, exitCode: 2 });
});

test.each([['--help'], ['-h'], ['help']])('%s names every command', (word) => {
  const asked = readDrover([word]);
  const text = asked.do === 'print' ? asked.text : '';
  expect(text).toContain('Usage: drover <command>');
  for (const command of ['controller', 'webhook', 'check']) expect(text).toContain(`\n  ${command} `);
  expect(asked).toEqual({ do: 'print', text, exitCode: 0 });
});

test('what follows a command is left to its program', () => {
  expect(readDrover(['webhook', '--port=1', '--help'])).toMatchObject({
    do: 'run',
    command: 'webhook',
    args: ['--port=1', '--help'],
  });
});

test.each(['controller', 'webhook'])(
  'drover %s --help shows the flags of that program, and how to start it',
  async (command) => {
    const { code, stdout } = await drover(command, '--help');
    expect(stdout).toContain(`Usage: drover ${command} [--flag=value ...]`);
    expect(stdout).toContain('  --log-level <');
    expect(code).toBe(0);
  },
);

test('drover check that finds no cluster says so, and ends with 1', async () => {
  expect(await drover('check', '--kubeconfig=/nowhere', '--timeout=0')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The check could not be made: .*\/nowhere/),
  });
});

test('a bad flag of a command ends it with 2 and a sentence', async () => {
  expect(await drover('controller', '--nothing')).toEqual({
    code: 2,
    stdout: '',
    stderr: '--nothing is not a flag of this program; see --help\n',
  });
});

test('--version prints the same for drover and its commands', async () => {
  const { stdout, code } = await drover('--version');
  expect(stdout).toMatch(/^drover \d+\.\d+\.\d+ \(.+, Bun \d+\.\d+\.\d+, \w+\/\w+\)\n$/);
  expect(code).toBe(0);
  expect((await drover('webhook', '--version')).stdout).toBe(stdout);
});
