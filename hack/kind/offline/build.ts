import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findTools } from '../../tools/find.ts';
import { builtGo } from '../../tools/gomodule.ts';
import { run } from '../../tools/run.ts';
import { sourcesOf } from '../../tools/sources.ts';
import { type Image, writeArchive } from './archive.ts';
import { unpackDebian } from './debian.ts';
import { layOut, type Part, partsOf } from './parts.ts';
import { PROGRAMS, type Programs } from './recipe.ts';
import { sideload } from './sideload.ts';

export interface NodeParts {
  kubernetes: string;
  /** The image's `repository:tag`. */
  reference: string;
  /** A folder that stays from one build to the next. */
  cache: string;
  /** Path of the archive to be written. */
  output: string;
}

/**
 * Builds the image of a kind node out of Debian, kind's own files and the programs of Kubernetes, and writes it as an
 * archive that docker loads. No registry is asked, and no docker. Takes root.
 */
export async function buildNodeImage({ kubernetes, reference, cache, output }: NodeParts): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error(`Building the image ${reference} of a kind node takes root.`);
  const programs = await findTools(PROGRAMS, { kubernetes });
  const folder = `${output}.work`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const root = join(folder, 'root');
    await unpackDebian(root, cache);
    await furnish(root, { kubernetes, programs, sources: await sourcesOf('kind') });
    await storeImages({ root, folder, kubernetes, programs });
    await writeArchive({ root, image: nodeImage(reference), output });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As the Dockerfile of kind's base image has it. */
const nodeImage = (reference: string): Image => ({
  reference,
  entrypoint: ['/usr/local/bin/entrypoint', '/sbin/init'],
  env: { container: 'docker' },
  stopSignal: 'SIGRTMIN+3',
});

interface Furniture {
  kubernetes: string;
  programs: Programs;
  /** The sources of kind. */
  sources: string;
}

/** Puts kind's files, the programs and our manifests where kind looks for them. */
async function furnish(root: string, { kubernetes, programs, sources }: Furniture): Promise<void> {
  const files = join(sources, 'images/base/files');
  for (const path of globSync('**', { cwd: files }).filter((path) => statSync(join(files, path)).isFile())) {
    put(join(files, path), join(root, path), /(?:^|\/)bin\//.test(path) ? 0o755 : 0o644);
  }
  for (const name of ['kubeadm', 'kubelet', 'kubectl'] as const)
    put(programs[name], join(root, 'usr/bin', name), 0o755);
  put(join(import.meta.dir, 'pod-network.yaml'), join(root, 'kind/manifests/default-cni.yaml'), 0o644);
  put(join(import.meta.dir, 'storage.yaml'), join(root, 'kind/manifests/default-storage.yaml'), 0o644);
  await Bun.write(join(root, 'kind/version'), `v${kubernetes}`);
  put(join(import.meta.dir, 'setup.sh'), join(root, 'setup.sh'), 0o755);
  await run(['chroot', root, '/setup.sh']);
  rmSync(join(root, 'setup.sh'));
}

function put(file: string, path: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  cpSync(file, path, { dereference: true });
  chmodSync(path, mode);
}

interface Storing {
  root: string;
  folder: string;
  kubernetes: string;
  programs: Programs;
}

/** Makes the images of all pods that a cluster begins with, and stores them in the node's root. */
async function storeImages({ root, folder, kubernetes, programs }: Storing): Promise<void> {
  const kubeadm = await run([programs.kubeadm, 'config', 'images', 'list', '--kubernetes-version', `v${kubernetes}`]);
  const pause = await builtGo({ name: 'pause', folder: join(import.meta.dir, 'pause') });
  const archives: string[] = [];
  for (const part of partsOf({ programs, pause, sandbox: sandboxOf(root), kubeadm })) {
    archives.push(await archiveOf(part, { root, folder: join(folder, `image-${archives.length}`) }));
  }
  await sideload(root, archives);
}

async function archiveOf(part: Part, { root, folder }: { root: string; folder: string }): Promise<string> {
  await layOut(part, folder, root);
  await writeArchive({ root: folder, image: part, output: `${folder}.tar` });
  rmSync(folder, { recursive: true });
  return `${folder}.tar`;
}

/** The image of pods themselves, as kind's settings of the container runtime name it. */
function sandboxOf(root: string): string {
  const found = /sandbox_image = "(.+)"/.exec(readFileSync(join(root, 'etc/containerd/config.toml'), 'utf8'))?.[1];
  if (found === undefined) throw new Error("kind's etc/containerd/config.toml names no sandbox_image");
  return found;
}
