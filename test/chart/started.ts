import { join } from 'node:path';
import { until } from '../../hack/lib/until.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { only } from './helm.ts';
import type { Release } from './release.ts';
import type { Container, Deployment } from './scenarios.ts';

const ROOT = join(import.meta.dir, '../..');
const PATIENCE = { timeoutMs: 20_000 };

/** A program of a release, as a process on this machine under the account that the chart gives it. */
export interface Started {
  /** Where it serves. */
  base: string;
  /** Resolves once it has logged that. */
  said(message: string): Promise<void>;
  /** What it tells Prometheus. */
  metrics(): Promise<string>;
  /** As a pod ends. Resolves with its exit code. */
  stop(): Promise<number>;
}

/** How a process on this machine differs from a pod. */
export interface Differences {
  /** Name of the Deployment. */
  deployment: string;
  /** Flags that come last and win. */
  flags(kubeconfig: string): string[];
  /** Where its account is; the cluster of the release unless said. */
  cluster?: OwnCluster;
}

/** Starts what the Deployment of a release would, with its command line and environment. */
export async function startFrom(release: Release, { deployment, flags, cluster }: Differences): Promise<Started> {
  const { spec } = only<Deployment>(await release.objects(), 'Deployment', deployment).spec.template;
  const [container] = spec.containers;
  if (!container) throw new Error(`Deployment ${deployment} has no container`);
  const { kubeconfig } = await (cluster ?? release.cluster).serviceAccount(release.namespace, spec.serviceAccountName);
  return start(release.cluster.folder, container, flags(kubeconfig));
}

async function start(
  folder: string,
  { args: [program = '', ...args], env = [] }: Container,
  flags: string[],
): Promise<Started> {
  const log = join(folder, `${program}-${crypto.randomUUID()}.log`);
  const given = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  const words = [...args, ...flags, '--port=0', '--address=127.0.0.1'];
  const child = Bun.spawn([process.execPath, `${program}/main.ts`, ...words], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...given },
    stdout: Bun.file(log),
    stderr: 'inherit',
  });
  const line = (message: string) => until(`the ${program} to say "${message}"`, () => lineOf(log, message), PATIENCE);
  const base = `${program === 'webhook' ? 'https' : 'http'}://127.0.0.1:${(await line('listening'))['port']}`;
  return {
    base,
    said: async (message) => void (await line(message)),
    metrics: async () => (await fetch(`${base}/metrics`, { tls: { rejectUnauthorized: false } })).text(),
    stop() {
      child.kill('SIGTERM');
      return child.exited;
    },
  };
}

async function lineOf(log: string, message: string): Promise<Record<string, unknown> | undefined> {
  const lines = (await Bun.file(log).text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === message);
}
