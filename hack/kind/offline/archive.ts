import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownArch } from '../../tools/platform.ts';
import { run } from '../../tools/run.ts';

/** An image of one layer. */
export interface Image {
  /** `repository:tag`. */
  reference: string;
  entrypoint: readonly string[];
  /** Variables beside PATH. */
  env?: Readonly<Record<string, string>>;
  /** Number of the user that its processes are; root's unless said. */
  user?: string;
  /** What asks its first process to end; SIGTERM unless said. */
  stopSignal?: string;
}

/** What `writeArchive` makes of what. */
export interface ArchiveParts {
  /** The folder that is the image's root; owners and modes are taken over. */
  root: string;
  image: Image;
  /** Path of the archive, which `docker load` and `ctr images import` take. */
  output: string;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const EPOCH = '1970-01-01T00:00:00Z';

/** Everything the same each time, for the same files. */
const SAME = ['--sort=name', '--numeric-owner', '--mtime=@0'];

/** Writes an image as docker's archive format has it, without any daemon. */
export async function writeArchive({ root, image, output }: ArchiveParts): Promise<void> {
  const folder = `${output}.part`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await run(['tar', ...SAME, '-C', root, '-cf', join(folder, 'layer.tar'), '.']);
    const layer = await sha256(Bun.file(join(folder, 'layer.tar')));
    const config = JSON.stringify(configOf(image, layer));
    const hash = new Bun.CryptoHasher('sha256').update(config).digest('hex');
    const manifest = [{ Config: `${hash}.json`, RepoTags: [image.reference], Layers: ['layer.tar'] }];
    await Bun.write(join(folder, `${hash}.json`), config);
    await Bun.write(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await run(['tar', ...SAME, '-C', folder, '-cf', `${output}.whole`, 'manifest.json', `${hash}.json`, 'layer.tar']);
    renameSync(`${output}.whole`, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The image's settings, in the words of docker and OCI. */
export const configOf = ({ entrypoint, env = {}, user, stopSignal }: Image, layer: string) => ({
  architecture: ownArch(),
  os: 'linux',
  created: EPOCH,
  config: {
    Env: Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`),
    Entrypoint: entrypoint,
    WorkingDir: '/',
    ...(user !== undefined && { User: user }),
    ...(stopSignal !== undefined && { StopSignal: stopSignal }),
  },
  rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
  history: [{ created: EPOCH, created_by: 'hack/kind' }],
});

async function sha256(file: Bun.BunFile): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of file.stream()) hash.update(chunk);
  return hash.digest('hex');
}

/** Size of a file for people: `966 MB`. */
export const sizeOf = (file: string): string => `${Math.round(statSync(file).size / 1e6)} MB`;
