import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../hack/tools/run.ts';
import { previousChart } from './previous.ts';

const root = mkdtempSync(join(tmpdir(), 'drover-releases-'));
const chart = join(root, 'charts/drover');
const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
const git = (...words: string[]) => run(['git', ...author, ...words], { cwd: root });

/** A commit with a chart of this version, or with something else. */
async function commit(version?: string): Promise<void> {
  await Bun.write(version === undefined ? join(root, 'README.md') : join(chart, 'Chart.yaml'), `version: ${version}\n`);
  await git('add', '-A');
  await git('commit', '-q', '-m', 'more');
}

beforeAll(() => git('init', '-q'));
afterAll(() => rmSync(root, { recursive: true }));

const versionOf = (folder: string) => Bun.file(join(folder, 'Chart.yaml')).text();

test('the chart of the newest release before this commit is unpacked, and goes again', async () => {
  await commit();
  await git('tag', 'v0.1.0');
  await commit('0.2.0');
  expect((await previousChart({ root, chart })).folder).toBe(chart);
  await git('tag', 'v0.2.0');
  await commit('0.10.0');
  await git('tag', 'v0.10.0');
  await commit('0.11.0');
  await git('tag', 'v0.11.0');
  const previous = await previousChart({ root, chart });
  expect(await versionOf(previous.folder)).toBe('version: 0.10.0\n');
  await previous[Symbol.asyncDispose]();
  expect(existsSync(previous.folder)).toBe(false);
});
