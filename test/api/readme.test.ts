import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../hack/lib/until.ts';
import { type Command, commandsOf, exportsOf, missingFrom } from '../pages/commands.ts';

const ROOT = join(import.meta.dir, '../..');

setDefaultTimeout(180_000);

/** Pages whose commands run on what ./hack/up starts, in this order, one after the other (hack/decisions/0051 U2). */
const PAGES = [
  'README.md',
  'charts/drover/TROUBLESHOOTING.md',
  'charts/drover/MIGRATION.md',
  'charts/drover/AUTOSCALER.md',
  'webhook/README.md',
  'charts/drover/GUIDE.md',
];

/** The project with a state of its own, so that a herd that somebody looks at stays. */
const folder = mkdtempSync(join(tmpdir(), 'drover-readme-'));
const env = { ...process.env, PWD: folder };

const shown = await Promise.all(
  PAGES.map(async (page) => ({ page, commands: commandsOf(await Bun.file(join(ROOT, page)).text(), 'up') })),
);
const exported = exportsOf(shown.flatMap(({ commands }) => commands));

/** What a line of shell printed, and how it ended. */
async function run(line: string): Promise<{ code: number; printed: string }> {
  const child = Bun.spawn(['bash', '-c', `${exported}\n${line}`], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, printed: `${out}${err}` };
}

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
  const { printed } = await run('bun hack/main.ts up');
  expect(printed.split('\n').filter((line) => line.includes('Running')).length).toBeGreaterThanOrEqual(3);
});

afterAll(async () => {
  await run('bun hack/main.ts down --purge');
  rmSync(folder, { recursive: true });
});

/** Lines that the page shows and the command did not print; if it shows none, the complaint of a command that fails. */
async function missing(shown: Command): Promise<string[]> {
  const { code, printed } = await run(shown.command.replace('./hack/down', 'bun hack/main.ts down'));
  return shown.output.length === 0 && code !== 0 ? [printed] : missingFrom(printed, shown);
}

describe.each(shown)('what $page shows', ({ commands }) => {
  test.each(commands.map((one) => [one.command, one] as const))('$ %s', async (command, one) => {
    const changes = !command.startsWith('kubectl get');
    if (changes) expect(await missing(one)).toEqual([]);
    // The counts of a deployment follow its machines by a moment, the news of a lost VM by ten seconds.
    else await until('the output', async () => (await missing(one)).length === 0, { timeoutMs: 30_000 });
  });
});
