import { join } from 'node:path';
import { NAMESPACE } from '../../schemas/access.ts';
import { mintToken, tokenConnection } from '../controlplane/identities.ts';
import { writeKubeconfig } from '../controlplane/kubeconfig.ts';
import type { Plane } from '../controlplane/plane.ts';
import { HOST, keptPorts } from '../controlplane/ports.ts';
import { type Server, serverOf } from '../controlplane/server.ts';
import { find } from '../lib/daemon.ts';
import { PROJECT, place } from './place.ts';

/** A year: no control plane of this kind runs longer, and each start of a program asks for a new token. */
const TOKEN_SECONDS = 365 * 24 * 3600;
const READY_MS = 30_000;

/** One of our two programs, as it is started here: under its own ServiceAccount, for this machine only. */
interface OurProgram {
  name: 'webhook' | 'controller';
  scheme: 'http' | 'https';
  flags(kubeconfig: string): string[];
}

const programs: Record<OurProgram['name'], OurProgram> = {
  webhook: {
    name: 'webhook',
    scheme: 'https',
    flags: (kubeconfig) => [`--kubeconfig=${kubeconfig}`, `--namespace=${NAMESPACE}`, `--tls-server-names=${HOST}`],
  },
  controller: {
    name: 'controller',
    scheme: 'http',
    flags: (kubeconfig) => [
      `--control-kubeconfig=${kubeconfig}`,
      `--target-kubeconfig=${kubeconfig}`,
      // A Cluster of the guide leads to the same API server, on this machine.
      `--cluster-server-allow=${HOST}`,
    ],
  },
};

/** The ports that the two programs have here. */
export const programPorts = (): Promise<Record<OurProgram['name'], number>> =>
  keptPorts(place.ports, ['webhook', 'controller'], (name) => find(place.folders, name) !== undefined);

/** Starts a program unless it runs, and waits until it is ready. */
export async function startProgram(name: OurProgram['name'], plane: Plane, signal: AbortSignal): Promise<void> {
  const port = (await programPorts())[name];
  const kubeconfig = join(place.state, `${name}.kubeconfig`);
  const server = serverFor(programs[name], { kubeconfig, port });
  if (server.pid() === undefined) {
    const token = await mintToken(plane, { namespace: NAMESPACE, name: `drover-${name}` }, TOKEN_SECONDS);
    await writeKubeconfig(kubeconfig, tokenConnection(plane, token));
  }
  await server.start(signal);
}

function serverFor({ name, scheme, flags }: OurProgram, at: { kubeconfig: string; port: number }): Server {
  const script = join(PROJECT, name, 'main.ts');
  const command = [process.execPath, script, ...flags(at.kubeconfig), `--address=${HOST}`, `--port=${at.port}`];
  return serverOf({
    folders: place.folders,
    program: { name, cwd: PROJECT, command },
    ready: () => isReady(`${scheme}://${HOST}:${at.port}/readyz`),
    timeoutMs: READY_MS,
  });
}

/** The webhook's certificate is not checked here: it is the API server that has to trust it. */
async function isReady(url: string): Promise<boolean> {
  const tls = { rejectUnauthorized: false };
  const answer = await fetch(url, { keepalive: false, tls, signal: AbortSignal.timeout(2_000) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return true;
}
