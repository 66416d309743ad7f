import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import type { Plane } from '../controlplane/plane.ts';
import { answer, type Ending } from '../lib/command.ts';
import { locked } from '../lib/lock.ts';
import { elapsed, withProgress } from '../lib/progress.ts';
import { chooseKubernetes, dataVersion, startControlPlane } from '../localcluster/controlplane.ts';
import { displayOn } from '../localcluster/display.ts';
import { followHerd } from '../localcluster/follow.ts';
import { ensureHerd, type Wanted } from '../localcluster/herd.ts';
import { nextSteps } from '../localcluster/next.ts';
import { help, readOptions, type UpOptions } from '../localcluster/options.ts';
import { place } from '../localcluster/place.ts';
import { programPorts, startProgram } from '../localcluster/programs.ts';
import { registerWebhook, untilTrusted } from '../localcluster/registration.ts';
import { dropData, endProcesses, runningHere } from '../localcluster/takedown.ts';
import { findTools } from '../tools/find.ts';

/**
 * `./hack/up`: control plane, webhook, controller and an example herd on this machine. What this call starts stays when
 * all of it works; when it fails or is interrupted before, what it started is taken down again.
 */

const screen = process.stdout;

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

/** Starts it all, or answers `--help`. */
export async function run(words: readonly string[], ending: Ending): Promise<number> {
  const asked = readOptions(words);
  if (asked.do !== 'up') return answer(asked, help);
  await up(asked.options, ending());
  return 0;
}
