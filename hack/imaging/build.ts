import { join } from 'node:path';
import { ownArch } from '../tools/platform.ts';
import { base } from './base.ts';
import { compile } from './compile.ts';
import { fetchLibraries } from './debian.ts';
import { readElf } from './elf.ts';
import { type Arch, defaultReference, type Origin, PROGRAM } from './facts.ts';
import { archiveOf, type Image, imageOf, indexArchiveOf } from './layout.ts';
import { librariesOf } from './libraries.ts';
import { originHere } from './origin.ts';
import type { Entry } from './tar.ts';

/** Where images are put unless somebody says otherwise. */
export const FOLDER = join(import.meta.dir, '../../.drover/image');

/** What to build. */
export interface Wanted {
  arch: Arch;
  /** Name and tag; `drover:<version>` unless said. */
  reference?: string;
  /** Where the archive is put. */
  folder?: string;
  signal?: AbortSignal | undefined;
}

/** A file that `docker load`, `kind load image-archive` and tools for OCI layouts take, and what the image is called. */
export interface Built {
  archive: string;
  reference: string;
}

/** Builds the image of one architecture, from this machine's own parts alone if that is its own. */
export async function buildImage(wanted: Wanted): Promise<Built> {
  const { built } = await buildOne(wanted, originHere(process.env));
  return built;
}

/** Builds the images of several architectures: each as `buildImage` does, and all of them as one OCI layout besides. */
export async function buildImages(wanted: Omit<Wanted, 'arch'>, arches: readonly Arch[]): Promise<Built[]> {
  const { reference = defaultReference, folder = FOLDER } = wanted;
  const origin = originHere(process.env);
  const each: Array<{ image: Image; built: Built }> = [];
  for (const arch of arches) each.push(await buildOne({ ...wanted, arch }, origin));
  const built = each.map((one) => one.built);
  if (each.length < 2) return built;
  const archive = join(folder, 'drover.tar');
  const images = each.map(({ image }) => image);
  await Bun.write(archive, indexArchiveOf(images, reference, origin.seconds));
  return [...built, { archive, reference }];
}

async function buildOne(wanted: Wanted, origin: Origin): Promise<{ image: Image; built: Built }> {
  const { arch, reference = defaultReference, folder = FOLDER } = wanted;
  const image = await assemble({ ...wanted, folder }, origin);
  const archive = join(folder, `drover-${arch}.tar`);
  await Bun.write(archive, archiveOf(image, reference, origin.seconds));
  return { image, built: { archive, reference } };
}

async function assemble({ arch, folder, signal }: Wanted & { folder: string }, origin: Origin): Promise<Image> {
  const output = join(folder, `drover-${arch}`);
  await compile({ arch, commit: origin.commit, output }, signal);
  const program = await Bun.file(output).bytes();
  const root = isOwn(arch) ? '/' : await fetchLibraries(arch, join(folder, `libraries-${arch}`), signal);
  const libraries = librariesOf(readElf(program), { root, arch });
  const own: Entry = { path: PROGRAM.slice(1), content: program, mode: 0o755 };
  return imageOf({ arch, origin, layers: [[...base, ...libraries], [own]] });
}

/** Whether the machine's own libraries can be taken. */
const isOwn = (arch: Arch): boolean => process.platform === 'linux' && ownArch() === arch;
