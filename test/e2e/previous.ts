import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../hack/tools/run.ts';
import type { Surroundings } from './scene.ts';

/** A chart in a folder that goes when it is no longer needed. */
export interface Chart extends AsyncDisposable {
  folder: string;
}

const CHART = 'charts/drover';

/** The chart of the last release that git knows, or, where there is none yet, the working tree's own. */
export async function previousChart({ root, chart }: Pick<Surroundings, 'root' | 'chart'>): Promise<Chart> {
  const tag = await lastRelease(root);
  if (tag === undefined) return { folder: chart, [Symbol.asyncDispose]: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'drover-previous-'));
  const archive = join(folder, 'chart.tar');
  await run(['git', 'archive', `--output=${archive}`, tag, CHART], { cwd: root });
  await run(['tar', '-xf', archive, '-C', folder]);
  return { folder: join(folder, CHART), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** The newest tag before this commit whose chart can be installed. */
async function lastRelease(root: string): Promise<string | undefined> {
  const tags = await run(['git', 'tag', '--list', 'v*', '--merged', 'HEAD~1', '--sort=-v:refname'], { cwd: root });
  for (const tag of tags.split('\n').filter((line) => line !== '')) {
    const files = await run(['git', 'ls-tree', '--name-only', tag, `${CHART}/Chart.yaml`], { cwd: root });
    if (files.trim() !== '') return tag;
  }
  return undefined;
}
