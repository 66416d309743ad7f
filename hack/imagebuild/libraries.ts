import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../tools/run.ts';
import { type Elf, readElf } from './elf.ts';
import type { Arch } from './facts.ts';
import type { Entry } from './tar.ts';

/** What Debian and GNU call the architectures. */
const TRIPLES: Readonly<Record<Arch, string>> = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** Where loaders look for libraries without being told. */
const foldersOf = (arch: Arch): string[] => [
  `lib/${TRIPLES[arch]}`,
  `usr/lib/${TRIPLES[arch]}`,
  'lib64',
  'usr/lib64',
  'lib',
  'usr/lib',
];

/** A root folder and the architecture of the libraries below it. */
interface LibraryRoot {
  root: string;
  arch: Arch;
}

/**
 * The loader that a program names and all libraries that it needs, and those that these need, at the paths at which they
 * were found. Throws a sentence when one is missing.
 */
export function librariesOf(program: Elf, from: LibraryRoot): Entry[] {
  if (program.machine !== from.arch)
    throw new Error(`the program was compiled for ${program.machine}, not for ${from.arch}`);
  const found = new Map<string, Entry>();
  const loader = program.interpreter?.slice(1);
  if (loader) found.set(nameOf(loader), read(from.root, loader, `the loader of programs for ${from.arch}`));
  const wanted = [...program.needed];
  for (let name = wanted.shift(); name !== undefined; name = wanted.shift()) {
    if (found.has(name)) continue;
    const entry = find(name, from);
    found.set(name, entry);
    wanted.push(...readElf(new Uint8Array(Buffer.from(entry.content ?? ''))).needed);
  }
  return [...found.values()];
}

function find(name: string, { root, arch }: LibraryRoot): Entry {
  const path = foldersOf(arch)
    .map((folder) => `${folder}/${name}`)
    .find((candidate) => existsSync(join(root, candidate)) && isOf(arch, join(root, candidate)));
  return read(root, path ?? `${foldersOf(arch)[0]}/${name}`, `a library that the program needs`);
}

const isOf = (arch: Arch, file: string): boolean => readElf(new Uint8Array(readFileSync(file))).machine === arch;

function read(root: string, path: string, what: string): Entry {
  const file = join(root, path);
  if (existsSync(file)) return { path, content: readFileSync(file), mode: 0o755 };
  throw new Error(
    `${file} is not there, ${what}: images are built from the GNU C library, as Debian, Ubuntu, Fedora and others have it; ` +
      'on this machine use ./hack/image --docker',
  );
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Gets the C library of an architecture that is not this machine's, from where this machine's packages come. Everything
 * stays in the folder: apt is told of lists, caches and a state of its own, so nothing of the system changes.
 * @returns the folder below which the files of the package are as they would be installed
 */
export async function fetchLibraries(arch: Arch, folder: string, signal?: AbortSignal): Promise<string> {
  const [state, root] = [join(folder, 'apt'), join(folder, 'root')];
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(state, name), { recursive: true });
  const apt = (...words: string[]) => run(['apt-get', ...optionsOf(arch, state), ...words], { cwd: folder, signal });
  try {
    await apt('update');
    await apt('download', 'libc6');
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
    await run(['dpkg-deb', '--extract', join(folder, archive), root], { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Error(
      `the C library for ${arch} could not be fetched by apt-get, which Debian and Ubuntu have; elsewhere build the image on a machine of that architecture, or use ./hack/image --docker`,
      { cause },
    );
  }
  rmSync(state, { recursive: true });
  return root;
}

const optionsOf = (arch: Arch, state: string): string[] =>
  Object.entries({
    'APT::Architecture': arch,
    'APT::Architectures::': arch,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Dir::State': state,
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(state, 'cache'),
    'Debug::NoLocking': 'true',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
