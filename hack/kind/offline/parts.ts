import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../../tools/run.ts';
import type { Image } from './archive.ts';
import { BUSYBOX_IMAGE, NETWORK_IMAGE, type Programs } from './recipe.ts';

/** An image for pods, made of single files. */
export interface Part extends Image {
  /** Files from this machine, by their path in the image; executable. */
  files: Readonly<Record<string, string>>;
  /** Programs of the node's Debian that it holds at the same paths, with the libraries they need. */
  debian: readonly string[];
}

/** Where an image holds its own program. */
const BIN = '/usr/local/bin';
const BUSYBOX = '/bin/busybox';
const NFT = '/usr/sbin/nft';

export interface Ingredients {
  programs: Programs;
  /** Path of the program that holds a pod's namespaces. */
  pause: string;
  /** The reference under which the container runtime looks for it. */
  sandbox: string;
  /** What `kubeadm config images list` prints. */
  kubeadm: string;
}

/** All images that a node holds. kubeadm says which ones it needs, and only their names count. */
export function partsOf({ programs, pause, sandbox, kubeadm }: Ingredients): Part[] {
  const references = kubeadm.split('\n').filter((reference) => reference && nameOf(reference) !== 'pause');
  const network = join(import.meta.dir, 'pod-network.sh');
  return [
    ...references.map((reference) => partOf(reference, programs)),
    { reference: sandbox, entrypoint: ['/pause'], files: { '/pause': pause }, debian: [] },
    {
      reference: NETWORK_IMAGE,
      entrypoint: ['/pod-network'],
      files: { '/pod-network': network },
      debian: [BUSYBOX, NFT],
    },
    { reference: BUSYBOX_IMAGE, entrypoint: ['/bin/sh'], files: {}, debian: [BUSYBOX] },
  ];
}

function partOf(reference: string, programs: Programs): Part {
  const name = nameOf(reference);
  const program = (programs as Record<string, string>)[name];
  if (program === undefined)
    throw new Error(`kubeadm needs the image ${reference}, and no program ${name} is known here`);
  // The manifest of CoreDNS names no command; those of all others look for theirs on PATH.
  const path = name === 'coredns' ? '/coredns' : `${BIN}/${name}`;
  return { reference, entrypoint: [path], files: { [path]: program }, debian: name === 'kube-proxy' ? [NFT] : [] };
}

/** `coredns` of `registry.k8s.io/coredns/coredns:v1.14.2`. */
const nameOf = (reference: string): string => /([^/:]+):[^/:]+$/.exec(reference)?.[1] ?? reference;

/** Lays out a part's root in a folder; `debian` is the node's root. */
export async function layOut({ files, debian: wanted }: Part, root: string, debian: string): Promise<void> {
  for (const folder of ['bin', 'etc', 'run', 'tmp', 'var']) mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534::/:/sbin/nologin\n');
  for (const [path, file] of Object.entries(files)) place(file, join(root, path));
  for (const path of wanted) {
    place(join(debian, path), join(root, path));
    for (const library of librariesIn(await ldd(debian, path))) copy(join(debian, library), join(root, library));
    if (path === BUSYBOX) await run(['chroot', root, BUSYBOX, '--install', '-s', '/bin']);
  }
}

/** Static programs are no business of ldd, which says so by its code. */
const ldd = (debian: string, path: string): Promise<string> => run(['chroot', debian, 'ldd', path]).catch(() => '');

/** The paths of libraries in what ldd prints. */
export const librariesIn = (printed: string): string[] => printed.match(/\/\S+\.so\S*/g) ?? [];

function place(file: string, path: string): void {
  copy(file, path);
  chmodSync(path, 0o755);
}

/** A link's target is copied, under the link's name. */
function copy(file: string, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  cpSync(file, path, { dereference: true });
}
