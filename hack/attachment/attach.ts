import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoreV1Api } from '@kubernetes/client-node';
import { Api } from '../../controller/runtime/client/api.ts';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import { typedApi } from '../../controller/runtime/client/typed.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { kubeconfigConnection } from '../../controller/runtime/kubeconfig/kubeconfig.ts';
import { type Screen, withProgress } from '../lib/progress.ts';
import { until } from '../lib/until.ts';
import { podAccess } from './access.ts';
import { clusterFlags, containerOf, deployedAs } from './arguments.ts';
import {
  type Deployment,
  findDeployment,
  type Outcome,
  putBack,
  refuseAttached,
  takeAway,
  titleOf,
} from './deployment.ts';
import { type AttachOptions, ownKubeconfig } from './options.ts';

/** Pods end within their grace period, half a minute unless they say otherwise. */
const GONE_MS = 120_000;
/** An API server that is away comes back, or the user has to look after it. */
const RESTORE_MS = 30_000;

interface Reached {
  connection: Connection;
  api: Api;
  core: CoreV1Api;
  deployment: Deployment;
}

/** Runs the controller here in place of the deployed one until the signal aborts or it ends by itself; returns its exit code. */
export async function attach(options: AttachOptions, screen: Screen, signal: AbortSignal): Promise<number> {
  const reached = await reach(options);
  refuseAttached(reached.deployment);
  const folder = mkdtempSync(join(tmpdir(), 'drover-attach-'));
  const renewing = new AbortController();
  try {
    const command = await commandFor(options, { ...reached, folder, screen }, renewing.signal);
    return await inPlace(reached, screen, async () => {
      await withProgress(screen, `${titleOf(reached.deployment)} to 0`, () => untilGone(reached, signal));
      return startController(command, signal);
    });
  } finally {
    renewing.abort();
    rmSync(folder, { recursive: true });
  }
}

/** Works while the Deployment is away, and puts it back however that ends. */
async function inPlace<T>({ api, deployment }: Reached, screen: Screen, work: () => Promise<T>): Promise<T> {
  const by = crypto.randomUUID();
  try {
    await takeAway(api, deployment, by);
    return await work();
  } finally {
    const outcome = await putBackPatiently({ api, deployment }, by);
    if (outcome !== 'not attached') screen.write(`${titleOf(deployment)} ${SAYS[outcome]}\n`);
  }
}

/** Puts back what an earlier call could not. */
export async function restore(options: AttachOptions, screen: Screen): Promise<void> {
  const reached = await reach(options);
  screen.write(`${titleOf(reached.deployment)} ${SAYS[await putBackPatiently(reached)]}\n`);
}

async function reach(options: AttachOptions): Promise<Reached> {
  const connection = await kubeconfigConnection(ownKubeconfig(options.kubeconfig, process.env));
  const api = new Api({ connection, clock, fieldManager: 'drover-attach' });
  const core = await typedApi(({ CoreV1Api }) => CoreV1Api, { connection, clock });
  return { connection, api, core, deployment: await findDeployment(api, options) };
}

/** All that can fail is made before the Deployment is touched. */
async function commandFor(
  { targetKubeconfig, flags }: AttachOptions,
  { screen, ...reached }: Reached & { folder: string; screen: Screen },
  signal: AbortSignal,
): Promise<Command> {
  const deployed = deployedAs(containerOf(reached.deployment));
  const complain = (sentence: string) => screen.write(`${sentence}\n`);
  const access = await podAccess({ ...reached, clock, instead: targetKubeconfig, complain }, signal);
  const clusters = await clusterFlags(deployed, access);
  return { flags: [...deployed.flags, ...clusters, '--address=127.0.0.1', '--port=0', ...flags], env: deployed.env };
}

function untilGone({ core, deployment }: Reached, signal: AbortSignal): Promise<boolean> {
  const { namespace = '' } = deployment.metadata;
  const labels = Object.entries(deployment.spec.selector.matchLabels ?? {});
  const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(',');
  const look = async () => (await core.listNamespacedPod({ namespace, labelSelector })).items.length === 0;
  return until(`the pods of ${titleOf(deployment)} to end`, look, { timeoutMs: GONE_MS, everyMs: 250, signal });
}

const SAYS: Readonly<Record<Outcome, string>> = {
  restored: 'is as it was before',
  'scaled by somebody else': 'keeps the replicas that somebody gave it meanwhile; all else is as it was before',
  'not attached': 'is not attached: there is nothing to restore',
};

async function putBackPatiently(
  { api, deployment }: Pick<Reached, 'api' | 'deployment'>,
  by?: string,
): Promise<Outcome> {
  const patience = { timeoutMs: RESTORE_MS, everyMs: 1_000 };
  try {
    return await until('the API server to take it', () => putBack(api, deployment, by), patience);
  } catch (cause) {
    const advice = 'run ./hack/attach --restore when its API server answers';
    throw new Error(`${titleOf(deployment)} could not be put back: ${advice}`, { cause });
  }
}

const ROOT = join(import.meta.dir, '../..');

/** How the controller is started. */
interface Command {
  flags: readonly string[];
  /** Variables that are settings of the deployed one. */
  env: Readonly<Record<string, string>>;
}

/**
 * Runs the controller of this working tree until it ends, and returns its exit code. When the signal aborts it is told to
 * end; where the terminal has told it already, this does no harm. Settings in this process's own environment are not the
 * Deployment's, so they are left out. Throws when somebody kills it.
 */
async function startController({ flags, env }: Command, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('DROVER_'));
  const child = Bun.spawn([process.execPath, 'controller/main.ts', ...flags], {
    cwd: ROOT,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'));
  const code = await child.exited;
  signal.throwIfAborted();
  if (child.signalCode) throw new Error(`the controller was ended by ${child.signalCode}`);
  return code;
}
