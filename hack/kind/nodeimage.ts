import { existsSync, globSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { locked } from '../lock.ts';
import { withProgress } from '../progress.ts';
import { cacheFolder } from '../tools/cache.ts';
import { run } from '../tools/run.ts';
import { docker } from './docker.ts';
import { sizeOf } from './node/archive.ts';
import { buildNodeImage, type NodeParts } from './node/build.ts';
import { keyOf } from './node/recipe.ts';

const REPOSITORY = 'drover-node';

/** How long a registry may take to say that it has an image. */
const ANSWER_SECONDS = '10';

/** An archive that nobody loaded for so long is removed when another is made. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The reference of a node image that docker has: kind's own where it is at hand or can be pulled, else one that is built
 * here, which takes minutes the first time. Throws a sentence when neither works.
 */
export async function nodeImageFor(kubernetes: string): Promise<string> {
  const official = `kindest/node:v${kubernetes}`;
  // The systemd of kind's images does not start on cgroup v1.
  const usable = (await docker('info', '--format', '{{.CgroupVersion}}')).trim() !== '1';
  const ours = `${REPOSITORY}:${keyOf(kubernetes)}`;
  for (const reference of [...(usable ? [official] : []), ours]) if (await isPresent(reference)) return reference;
  const cache = join(cacheFolder(process.env), 'node-image');
  const archive = join(cache, `${keyOf(kubernetes)}.tar`);
  if (!existsSync(archive) && usable && (await isOffered(official))) {
    await withProgress(process.stderr, `pulling ${official}`, () => docker('pull', '--quiet', official));
    return official;
  }
  mkdirSync(cache, { recursive: true });
  const onWait = () => process.stderr.write(`waiting for another run that builds a node image in ${cache}\n`);
  await locked({ file: join(cache, 'lock'), onWait }, async () => {
    if (!existsSync(archive)) await buildArchive({ kubernetes, reference: ours, cache, output: archive });
    if (!(await isPresent(ours))) await load(archive);
  });
  return ours;
}

const isPresent = (reference: string): Promise<boolean> =>
  succeeds(docker('image', 'inspect', '--format', '{{.Id}}', reference));

const isOffered = (reference: string): Promise<boolean> =>
  succeeds(run(['timeout', ANSWER_SECONDS, 'docker', 'manifest', 'inspect', reference]));

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

async function buildArchive(parts: NodeParts): Promise<void> {
  await removeOld(parts.cache);
  await withProgress(process.stderr, `building ${parts.reference}`, () => buildNodeImage(parts));
}

/** Drops what interrupted builds left, archives that have not been loaded for long, and what docker has of those. */
async function removeOld(cache: string): Promise<void> {
  for (const rest of globSync(join(cache, '*.{work,part,whole}'))) rmSync(rest, { recursive: true, force: true });
  for (const archive of globSync(join(cache, 'v*.tar'))) {
    if (Date.now() - statSync(archive).mtimeMs > KEEP_MS) rmSync(archive);
  }
  const tags = await docker('image', 'list', '--format', '{{.Tag}}', REPOSITORY);
  const stale = tags.split('\n').filter((tag) => tag && !existsSync(join(cache, `${tag}.tar`)));
  // One that a cluster runs on stays.
  for (const tag of stale) await docker('image', 'rm', `${REPOSITORY}:${tag}`).catch(() => undefined);
}

/** Brings an archive into docker. */
async function load(archive: string): Promise<void> {
  const now = new Date();
  utimesSync(archive, now, now);
  await withProgress(process.stderr, `loading ${archive} (${sizeOf(archive)})`, () =>
    docker('load', '--input', archive),
  );
}
