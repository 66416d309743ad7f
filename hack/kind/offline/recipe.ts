import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toolsOf } from '../../tools/table.ts';

/** What every node of a cluster holds for pods of tests: a shell and small programs. Pull it IfNotPresent. */
export const BUSYBOX_IMAGE = 'docker.io/library/busybox:1.35.0';

/** The image of the pod network, as pod-network.yaml names it. */
export const NETWORK_IMAGE = 'docker.io/drover/pod-network:v1';

/** The Debian of the node's root: the last whose systemd runs on machines with cgroup v1. */
export const SUITE = 'bookworm';

/** What kind's services, the kubelet and the container runtime need, that runtime itself, and what pod images are made of. */
export const PACKAGES = [
  ...['systemd', 'systemd-sysv', 'dbus', 'kmod', 'util-linux', 'mount', 'procps', 'e2fsprogs', 'bash', 'jq', 'curl'],
  ...['iproute2', 'iptables', 'nftables', 'conntrack', 'ethtool', 'socat', 'ca-certificates'],
  ...['containerd', 'runc', 'containernetworking-plugins', 'libseccomp2', 'pigz', 'busybox-static'],
] as const;

/** The programs of a node that are not Debian's. */
export const PROGRAMS = [
  ...(['kubeadm', 'kubelet', 'kubectl', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const),
  ...(['kube-proxy', 'etcd', 'coredns'] as const),
] as const;

/** What of the tools' table goes into a node. */
const INGREDIENTS: ReadonlySet<string> = new Set([...PROGRAMS, 'kind']);

/** Paths of those programs, by name. */
export type Programs = Readonly<Record<(typeof PROGRAMS)[number], string>>;

/**
 * What tells node images apart: the version of Kubernetes, and a hash of all that goes into one, the files of this folder
 * included. Not its own files are the programs and Debian's packages, which count by name and version.
 */
export function keyOf(kubernetes: string): string {
  const tools = toolsOf(kubernetes).filter(({ programs }) => programs.some((name) => INGREDIENTS.has(name)));
  const versions = tools.map(({ name, version }) => `${name} ${version}`);
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify([process.arch, SUITE, PACKAGES, versions]));
  for (const file of filesIn(import.meta.dir))
    hash.update(`\n${file}\n`).update(readFileSync(join(import.meta.dir, file)));
  return `v${kubernetes}-${hash.digest('hex').slice(0, 12)}`;
}

/** Everything in a folder and below, tests aside. */
function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return files.filter((file) => !file.endsWith('.test.ts') && statSync(join(folder, file)).isFile());
}
