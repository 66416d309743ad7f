import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { ownArch } from '../tools/platform.ts';
import { compile } from './compile.ts';
import { readElf } from './elf.ts';
import { type Arch, defaultReference, type Origin, originHere, PROGRAM, USER } from './facts.ts';
import { archiveOf, type Image, imageOf, indexArchiveOf } from './layout.ts';
import { fetchLibraries, librariesOf } from './libraries.ts';
import type { Entry } from './tar.ts';

/** Where images are put unless somebody says otherwise. */
const FOLDER = join(import.meta.dir, '../../.drover/image');

/** What to build. */
interface Wanted {
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

/** What a program expects of a system besides its libraries. There is no shell, and nothing to install with. */
const base: readonly Entry[] = [
  { path: 'tmp', mode: 0o1777 },
  { path: 'etc/passwd', content: `root:x:0:0:root:/:/sbin/nologin\ndrover:x:${USER}:${USER}:drover:/:/sbin/nologin\n` },
  { path: 'etc/group', content: `root:x:0:\ndrover:x:${USER}:\n` },
  // Without it glibc asks the name servers before it reads /etc/hosts.
  { path: 'etc/nsswitch.conf', content: 'hosts: files dns\n' },
  // The authorities that Bun trusts; for a driver that looks for them in the usual place.
  { path: 'etc/ssl/certs/ca-certificates.crt', content: `${rootCertificates.join('\n')}\n` },
];
