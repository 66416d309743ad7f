import { join } from 'node:path';
import { release as giveBack } from './claim.ts';
import { letGo, OWNERS } from './clear.ts';
import type { Round } from './order.ts';
import { install, shared, uninstall } from './release.ts';
import type { Scene } from './scene.ts';

const CRDS = 'charts/drover/files/crds';
const CLOUD = 'drover-virtual-cloud';

/** Makes a cluster what the cases of a round need. */
export async function prepare(scene: Scene, { release, alone }: Round): Promise<void> {
  if (release === 'shared') return ensureShared(scene);
  await withoutShared(scene);
  if (alone) await dropKinds(scene);
  else await ensureKinds(scene);
}

/** Takes away what a run leaves on a cluster that was there before it. */
export async function leave(scene: Scene): Promise<void> {
  await withoutShared(scene);
  await dropKinds(scene);
  await scene.kubectl('delete', 'namespace', shared.namespace, '--ignore-not-found');
  await giveBack(scene);
}

async function ensureShared(scene: Scene): Promise<void> {
  if (!(await isInstalled(scene))) await install(scene, shared);
}

async function isInstalled(scene: Scene): Promise<boolean> {
  const { code } = await scene.terminal.tryHelm(['status', shared.name, '-n', shared.namespace]);
  return code === 0;
}

/** Removes the shared release, once the machines of the cases before are gone. */
async function withoutShared(scene: Scene): Promise<void> {
  if (!(await isInstalled(scene))) return;
  await scene.until('the machines of earlier cases to be gone', async () => {
    return (await scene.kubectl('get', OWNERS, '-A', '-o', 'name')).trim() === '';
  });
  await uninstall(scene, shared);
}

/** Kinds and the namespace of virtual VMs, for releases that bring neither. */
async function ensureKinds(scene: Scene): Promise<void> {
  await scene.kubectl('apply', '--server-side', '--force-conflicts', '-f', join(scene.surroundings.root, CRDS));
  const { code } = await scene.terminal.tryKubectl(['get', 'namespace', CLOUD]);
  if (code !== 0) await scene.kubectl('create', 'namespace', CLOUD);
}

/** As if Drover had never been here. What is left has nobody to look after it. */
async function dropKinds(scene: Scene): Promise<void> {
  await letGo(scene, '-A');
  await scene.kubectl('delete', '-f', join(scene.surroundings.root, CRDS), '--ignore-not-found', '--timeout=90s');
  await scene.kubectl('delete', 'namespace', CLOUD, '--ignore-not-found', '--timeout=90s');
}
