import { existsSync, globSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { locked } from '../lib/lock.ts';
import { withProgress } from '../lib/progress.ts';
import { cacheFolder } from '../tools/cache.ts';
import { run } from '../tools/run.ts';
import { docker } from './docker.ts';
import { sizeOf } from './offline/archive.ts';
import { buildNodeImage, type NodeParts } from './offline/build.ts';
import { keyOf } from './offline/recipe.ts';

const REPOSITORY = 'drover-node';

/** How long a registry may take to say that it has an image. */
const ANSWER_MS = 10_000;

/** How many archives stay when another is made: those that were used last. Each takes a gigabyte. */
const KEPT = 2;

/**
 * The reference of a node image that docker has: kind's own where it is at hand or can be pulled, else one that is built
 * here, which takes minutes the first time. Throws a sentence when neither works.
 */
export async function nodeImageFor(kubernetes: string): Promise<string> {
  const official = `kindest/node:v${kubernetes}`;
  // The systemd of kind's images does not start on cgroup v1.
  const usable = (await docker('info', '--format', '{{.CgroupVersion}}')).trim() !== '1';
  const ours = `${REPOSITORY}:${keyOf(kubernetes)}`;
  const cache = join(cacheFolder(process.env), 'node-image');
  const archive = join(cache, `${keyOf(kubernetes)}.tar`);
  if (existsSync(archive)) utimesSync(archive, new Date(), new Date());
  for (const reference of [...(usable ? [official] : []), ours]) if (await isPresent(reference)) return reference;
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
  succeeds(run(['docker', 'manifest', 'inspect', reference], { signal: AbortSignal.timeout(ANSWER_MS) }));

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

async function buildArchive(parts: NodeParts): Promise<void> {
  await removeOld(parts.cache);
  await withProgress(process.stderr, `building ${parts.reference}`, () => buildNodeImage(parts));
}

/** Drops what interrupted builds left, all archives but those used last, and what docker has of those. */
async function removeOld(cache: string): Promise<void> {
  for (const rest of globSync(join(cache, '*.{work,part,whole}'))) rmSync(rest, { recursive: true, force: true });
  const age = (archive: string) => -statSync(archive).mtimeMs;
  const archives = globSync(join(cache, 'v*.tar')).sort((one, other) => age(one) - age(other));
  for (const archive of archives.slice(KEPT)) rmSync(archive);
  const tags = await docker('image', 'list', '--format', '{{.Tag}}', REPOSITORY);
  const stale = tags.split('\n').filter((tag) => tag && !existsSync(join(cache, `${tag}.tar`)));
  // One that a cluster runs on stays.
  for (const tag of stale) await docker('image', 'rm', `${REPOSITORY}:${tag}`).catch(() => undefined);
}

/** Brings an archive into docker. */
async function load(archive: string): Promise<void> {
  await withProgress(process.stderr, `loading ${archive} (${sizeOf(archive)})`, () =>
    docker('load', '--input', archive),
  );
}
