import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../hack/until.ts';

const ROOT = join(import.meta.dir, '../..');

setDefaultTimeout(120_000);

interface Example {
  command: string;
  /** What the README shows below it. */
  output: string[];
}

/** The commands of the README's console blocks, in order, with what they are said to print. */
function examples(readme: string): Example[] {
  const blocks = [...readme.matchAll(/```console\n(.*?)```/gs)].map(([, block = '']) => block.trimEnd());
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = '', ...output] = text.trimEnd().split('\n');
        return { command, output };
      }),
  );
}

/** A line without what differs from run to run: names, how many of them, ages, and how wide a column is. */
const plain = (line: string): string =>
  line
    .replaceAll(/\bherd-[a-z0-9]{5}(-[a-z0-9]{5})?\b/g, 'herd-$')
    .replaceAll(/herd-\$(, herd-\$)+( and \d+ more)?/g, 'herd-$')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\b\d+(m\d*)?s?\b(?= |$)/g, (age) => (/[ms]/.test(age) ? 'AGE' : age))
    .replaceAll(/ +/g, ' ')
    .trim();

const shown = examples(await Bun.file(join(ROOT, 'README.md')).text());
/** The project with a state of its own, so that a herd that somebody looks at stays. */
const folder = mkdtempSync(join(tmpdir(), 'drover-readme-'));
const env = { ...process.env, PWD: folder };

async function run(command: string): Promise<string[]> {
  const child = Bun.spawn(['bash', '-c', `${exports()}\n${command}`], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return `${out}${err}`.split('\n').map(plain);
}

const exports = (): string =>
  shown
    .map(({ command }) => command)
    .filter((command) => command.startsWith('export '))
    .join('\n');

beforeAll(async () => {
  for (const part of [
    'hack',
    'charts',
    'schemas',
    'webhook',
    'controller',
    'package.json',
    'bun.lock',
    'tsconfig.json',
  ]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const up = await run('bun hack/up.ts');
  expect(up.filter((line) => line.includes('Running')).length).toBeGreaterThanOrEqual(3);
});

afterAll(async () => {
  await run('bun hack/down.ts --purge');
  rmSync(folder, { recursive: true });
});

/** Lines that the README shows and the command did not print. */
async function missing({ command, output }: Example): Promise<string[]> {
  const printed = await run(command.replace('./hack/down', 'bun hack/down.ts'));
  return output.map(plain).filter((line) => !printed.includes(line));
}

describe('what the README shows', () => {
  test.each(shown.map((example) => [example.command, example] as const))('$ %s', async (command, example) => {
    const changes = !command.startsWith('kubectl get');
    if (changes) expect(await missing(example)).toEqual([]);
    // The counts of a deployment follow its machines by a moment, the news of a lost VM by ten seconds.
    else await until('the output', async () => (await missing(example)).length === 0, { timeoutMs: 30_000 });
  });
});
