import { askGit } from '../../controller/runtime/release.ts';
import packageFile from '../../package.json';

/** What is so in every image of Drover, however it is built. */

/** Architectures that images are built for, as container images name them. */
export const arches = ['amd64', 'arm64'] as const;

/** One of them. */
export type Arch = (typeof arches)[number];

/** Path of the one program in the image. */
export const PROGRAM = '/usr/local/bin/drover';

/** User and group that it runs as: nobody on most machines, and what `runAsNonRoot` asks for. */
export const USER = 65532;

/** What stands in the environment of the program. */
export const environment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin',
  // Sources that Bun translated: there are none, and nowhere to keep them.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
  // Each target cluster takes some, and what is over the limit waits without a word; a higher limit costs nothing.
  BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
  DO_NOT_TRACK: '1',
};

/** What a build is of. */
export interface Origin {
  /** Commit of the sources; empty when it is not known. */
  commit: string;
  /** Time of that commit, which all files of the image bear, in seconds since 1970. */
  seconds: number;
}

/** Labels that tell people and tools where an image comes from (OCI image specification, annotations). */
export const labels = ({ commit, seconds }: Origin): Record<string, string> => ({
  'org.opencontainers.image.title': packageFile.name,
  'org.opencontainers.image.description': packageFile.description,
  'org.opencontainers.image.licenses': packageFile.license,
  'org.opencontainers.image.version': packageFile.version,
  ...(commit !== '' && { 'org.opencontainers.image.revision': commit }),
  'org.opencontainers.image.created': timestamp(seconds),
});

/** A time as image specifications write it. */
export const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

/** What the image is called unless somebody says otherwise. */
export const defaultReference = `${packageFile.name}:${packageFile.version}`;

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
