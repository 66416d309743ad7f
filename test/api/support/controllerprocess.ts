import { join } from 'node:path';
import { until } from '../../../hack/lib/until.ts';
import { allowIn } from './chartrights.ts';
import type { Cluster } from './controlplane.ts';

const ROOT = join(import.meta.dir, '../../..');
/** Long enough for a machine on which much else is busy. */
const PATIENCE = { timeoutMs: 60_000 };

/** How a controller under test is started. */
export interface ControllerOptions {
  cluster: Cluster;
  /** The only namespace that it looks after. */
  namespace: string;
  /** Flags beside those that the harness sets; without one about it there is no election, by which a busy machine ends a controller. */
  flags?: readonly string[];
  /** Variables beside those of this process. */
  env?: Readonly<Record<string, string>>;
}

/** A controller process under the identity and the rights that the chart gives it. */
export interface ControllerProcess {
  pid: number;
  /** Where it serves /healthz, /readyz and /metrics. */
  url: string;
  /** What it has logged so far, a line each. */
  lines(): Promise<string[]>;
  /** Resolves once it leads and reconciles. */
  working(): Promise<void>;
  /** Resolves with its exit code. */
  exited: Promise<number>;
  /** SIGKILL: nothing is tidied up. */
  kill(): Promise<void>;
  /** SIGTERM: it ends as a pod does. */
  stop(): Promise<number>;
}

/** A controller for the namespace of a herd, that works already. */
export async function startWorking({
  cluster,
  namespace,
}: Pick<ControllerOptions, 'cluster' | 'namespace'>): Promise<ControllerProcess> {
  const controller = await startController({ cluster, namespace });
  await controller.working();
  return controller;
}

/** Starts `bun controller/main.ts` with the chart's rights; resolves once it listens. */
export async function startController({
  cluster,
  namespace,
  flags = [],
  env = {},
}: ControllerOptions): Promise<ControllerProcess> {
  await allowIn(cluster);
  const { kubeconfig } = await cluster.serviceAccount('drover-system', 'drover-controller');
  const log = join(cluster.folder, `controller-${crypto.randomUUID()}.log`);
  const args = [
    `--control-kubeconfig=${kubeconfig}`,
    `--namespace=${namespace}`,
    '--leader-elect-namespace=drover-system',
    '--address=127.0.0.1',
    '--port=0',
    // The API servers of all tests are on this machine.
    '--cluster-server-allow=127.0.0.0/8',
    ...(flags.some((flag) => flag.startsWith('--leader-elect')) ? [] : ['--leader-elect=false']),
    ...flags,
  ];
  const child = Bun.spawn([process.execPath, 'controller/main.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdout: Bun.file(log),
    stderr: 'inherit',
    onExit: () => ended.resolve(),
  });
  const ended = Promise.withResolvers<void>();
  const lines = async () => (await Bun.file(log).text()).split('\n').filter(Boolean);
  const port = await until('the controller to listen', async () => (await lines()).map(portIn).find(Boolean), PATIENCE);
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    lines,
    working: async () =>
      void (await until('the controller to work', async () => (await lines()).some(isStart), PATIENCE)),
    exited: child.exited,
    kill: () => end(child, 'SIGKILL').then(() => {}),
    stop: () => end(child, 'SIGTERM'),
  };
}

const isStart = (line: string): boolean => (JSON.parse(line) as { msg?: string }).msg === 'started';

function portIn(line: string): number | undefined {
  const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
  return msg === 'listening' ? port : undefined;
}

function end(child: Bun.Subprocess, signal: NodeJS.Signals): Promise<number> {
  child.kill(signal);
  return child.exited;
}
