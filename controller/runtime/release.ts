import { version } from '../../package.json';

/** Linked in when the programs are compiled; absent when they run from their sources. */
declare const DROVER_COMMIT: string | undefined;

/** Drover's version, as `package.json` has it. */
export { version };

/** What `--version` prints: version, commit, the Bun that runs it, and the platform. */
export const release = (): string =>
  `drover ${version} (${commit()}, Bun ${Bun.version}, ${process.platform}/${process.arch})`;

const commit = (): string => (typeof DROVER_COMMIT === 'string' ? DROVER_COMMIT : askGit()) || 'commit not known';

/**
 * The commit of the sources, shortened, with `-dirty` behind it when files of it were changed; empty when git does not know.
 */
export function askGit(): string {
  const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  if (!Bun.which('git')) return '';
  return Bun.spawnSync(['git', ...words], { cwd: import.meta.dir })
    .stdout.toString()
    .trim();
}
