import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withProgress } from '../../lib/progress.ts';
import { run } from '../../tools/run.ts';
import { installPackages } from '../docker.ts';
import { PACKAGES, SUITE } from './recipe.ts';

/** What packages bring for people, and for apt. */
const UNREAD = [
  'var/lib/apt/lists',
  'var/cache',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
];

/** Unpacks a small Debian into a folder; what an earlier call got is kept in `cache`. Takes root. */
export async function unpackDebian(root: string, cache: string): Promise<void> {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify([process.arch, SUITE, PACKAGES]));
  const archive = join(cache, `debian-${hash.digest('hex').slice(0, 12)}.tar`);
  if (!existsSync(archive)) await withProgress(process.stderr, `getting Debian ${SUITE}`, () => bootstrap(archive));
  mkdirSync(root);
  await run(['tar', '--numeric-owner', '-C', root, '-xpf', archive]);
}

async function bootstrap(archive: string): Promise<void> {
  if (!Bun.which('debootstrap')) await installPackages('debootstrap');
  const folder = `${archive}.part`;
  rmSync(folder, { recursive: true, force: true });
  try {
    const mirror = mirrorAmong(await aptSources());
    const packages = `--include=${PACKAGES.join(',')}`;
    await run(['debootstrap', '--variant=minbase', packages, SUITE, folder, ...(mirror ? [mirror] : [])]);
    for (const path of UNREAD) empty(join(folder, path));
    await run(['tar', '--numeric-owner', '-C', folder, '-cf', `${archive}.whole`, '.']);
    renameSync(`${archive}.whole`, archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
}

/** Where apt of this machine gets packages, `<URI> <origin> <suite>` a line; nothing when it cannot say. */
const aptSources = (): Promise<string> =>
  run(['apt-get', 'indextargets', '--format', '$(REPO_URI) $(ORIGIN) $(CODENAME)', 'Created-By: Packages']).catch(
    () => '',
  );

/** The mirror among such lines that has our Debian; undefined, which means debootstrap's own, when none does. */
export const mirrorAmong = (sources: string): string | undefined =>
  sources
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, origin, suite]) => origin === 'Debian' && suite === SUITE)?.[0];
