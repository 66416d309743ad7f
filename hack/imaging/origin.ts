import { askGit } from '../../controller/runtime/release.ts';
import type { Origin } from './facts.ts';

/** What this working tree is at. SOURCE_DATE_EPOCH sets the time, as reproducible builds agree upon. */
export function originHere(env: Readonly<Record<string, string | undefined>>): Origin {
  const seconds = env['SOURCE_DATE_EPOCH'] || timeOfCommit() || '0';
  if (!/^\d+$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH is ${seconds}; give seconds since 1970, or nothing`);
  return { commit: askGit(), seconds: Number(seconds) };
}

function timeOfCommit(): string {
  if (!Bun.which('git')) return '';
  return Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], { cwd: import.meta.dir })
    .stdout.toString()
    .trim();
}
