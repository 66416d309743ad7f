import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../tools/run.ts';
import type { Arch } from './facts.ts';

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
