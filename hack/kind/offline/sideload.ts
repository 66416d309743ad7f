import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../lib/until.ts';

/** Only what stores images: a root that is being made has no devices, no cgroups and no network. */
const CONFIG = `version = 2
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
`;

/** Runs in the root's own `ctr`, on the images of Kubernetes. */
const CTR = ['ctr', '--namespace', 'k8s.io', 'images'];

/** Brings archives of images into the store of the container runtime of a node's root, where the kubelet never removes them. */
export async function sideload(root: string, archives: readonly string[]): Promise<void> {
  writeFileSync(join(root, 'run/sideload.toml'), CONFIG);
  const log = join(root, 'run/sideload.log');
  const daemon = Bun.spawn(['chroot', root, 'containerd', '--config', '/run/sideload.toml'], {
    stdout: 'ignore',
    stderr: Bun.file(log),
  });
  try {
    await until('containerd to answer', () => inRoot(root, ['ctr', 'version']), { timeoutMs: 30_000 });
    for (const archive of archives) await inRoot(root, [...CTR, 'import', '--no-unpack', '--digests', '-'], archive);
    const names = (await inRoot(root, [...CTR, 'list', '--quiet'])).trim().split('\n');
    for (const name of names) await inRoot(root, [...CTR, 'label', name, 'io.cri-containerd.pinned=pinned']);
  } catch (error) {
    throw new Error(`images could not be stored in ${root}: ${await Bun.file(log).text()}`, { cause: error });
  } finally {
    daemon.kill();
    await daemon.exited;
    for (const path of ['run/sideload.toml', 'run/sideload.log', 'run/containerd']) {
      rmSync(join(root, path), { recursive: true, force: true });
    }
  }
}

async function inRoot(root: string, command: readonly string[], input?: string): Promise<string> {
  const child = Bun.spawn(['chroot', root, ...command], {
    stdin: input === undefined ? 'ignore' : Bun.file(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr.trim()}`);
  return stdout;
}
