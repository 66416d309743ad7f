import { Api } from '../controller/runtime/client/api.ts';
import { systemClock as clock } from '../controller/runtime/clock.ts';
import type { Plane } from './controlplane/plane.ts';
import { dataVersion, startControlPlane } from './local/controlplane.ts';
import { displayOn } from './local/display.ts';
import { followHerd } from './local/follow.ts';
import { ensureHerd, type Wanted } from './local/herd.ts';
import { chooseKubernetes } from './local/kubernetes.ts';
import { nextSteps } from './local/next.ts';
import { help, readOptions, type UpOptions } from './local/options.ts';
import { place } from './local/place.ts';
import { programPorts, startProgram } from './local/programs.ts';
import { registerWebhook, untilTrusted } from './local/registration.ts';
import { dropData, endProcesses, runningHere } from './local/takedown.ts';
import { locked } from './lock.ts';
import { elapsed, withProgress } from './progress.ts';
import { sentences } from './sentences.ts';
import { findTools } from './tools/find.ts';

/**
 * `./hack/up`: control plane, webhook, controller and an example herd on this machine. What this call starts stays when
 * all of it works; when it fails or is interrupted before, what it started is taken down again.
 */

const screen = process.stdout;

/** Exit code of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** An administrator's client, and what the herd shall be if there is to be one. */
interface Up {
  api: Api;
  wanted?: Wanted;
}

async function start({ replicas, kubernetes, upTo }: UpOptions, signal: AbortSignal): Promise<Up> {
  const version = chooseKubernetes(kubernetes, dataVersion());
  const binaries = await findTools(['etcd', 'kube-apiserver', 'kubectl'], { kubernetes: version, signal });
  const plane = await step(`control plane, Kubernetes ${version}`, () => startControlPlane(version, binaries, signal));
  const api = new Api({ connection: plane.admin, clock });
  if (upTo === 'control plane') return { api };
  await step('webhook', () => startWebhook(plane, signal));
  await step('controller', () => startProgram('controller', plane, signal));
  if (upTo === 'programs') return { api };
  return { api, wanted: await step('herd', () => ensureHerd(api, replicas, signal)) };
}

const step = <T>(what: string, work: () => Promise<T>): Promise<T> => withProgress(screen, what, work);

async function startWebhook(plane: Plane, signal: AbortSignal): Promise<void> {
  await registerWebhook(plane.admin, (await programPorts()).webhook);
  await startProgram('webhook', plane, signal);
  await untilTrusted(plane.admin, signal);
}

/** Starts all of it, or leaves everything as it was before. */
async function startOrUndo(options: UpOptions, signal: AbortSignal): Promise<Up> {
  const before = runningHere();
  const fresh = dataVersion() === undefined;
  try {
    return await start(options, signal);
  } catch (error) {
    const ended = await endProcesses(before);
    if (fresh) dropData();
    if (ended.length > 0) screen.write(`took down again what this call had started: ${ended.join(', ')}\n`);
    throw error;
  }
}

async function up(options: UpOptions, signal: AbortSignal): Promise<void> {
  const onWait = () => screen.write('waiting for another ./hack/up or ./hack/down to end\n');
  const { api, wanted } = await locked({ file: place.lock, onWait, signal }, () => startOrUndo(options, signal));
  try {
    if (wanted) await followHerd(api, wanted, { display: displayOn(screen), signal });
  } catch (error) {
    screen.write('everything that was started goes on; ./hack/down ends it\n');
    throw error;
  }
  screen.write(`\n${nextSteps(options.upTo)}\n\nUp in ${elapsed(performance.now())}.\n`);
}

async function main(options: UpOptions): Promise<number> {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => ending.abort());
  try {
    await up(options, ending.signal);
    return 0;
  } catch (error) {
    if (ending.signal.aborted) return INTERRUPTED;
    process.stderr.write(`${sentences(error)}\n`);
    return 1;
  }
}

const asked = readOptions(process.argv.slice(2));
if (asked.do === 'up') process.exit(await main(asked.options));
const { text, code } = asked.do === 'help' ? { text: help, code: 0 } : { text: `${asked.why}\n`, code: 2 };
(code === 0 ? process.stdout : process.stderr).write(text);
process.exit(code);
