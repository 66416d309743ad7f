import type { Scene } from './scene.ts';

const OWNERS = 'machinedeployments.machine.sapcloud.io,machinesets.machine.sapcloud.io,machines.machine.sapcloud.io';
const REST = 'machineclasses.machine.sapcloud.io,clusters.drover.dev';
/** How long machines that nobody looks after are waited for before their finalizers are taken off. */
const PATIENCE = '--timeout=45s';

/** Deletes the machines of the scene's namespace; `finish` deletes the rest. Machines that nobody deletes are let go. */
export async function clearNamespace(
  scene: Scene,
  { wait }: { wait: boolean },
): Promise<{ finish: () => Promise<void> }> {
  const machines = [OWNERS, '--all', '--ignore-not-found'];
  const { stderr } = await scene.terminal.tryKubectl([
    'delete',
    ...machines,
    ...(wait ? [PATIENCE] : ['--wait=false']),
  ]);
  const known = !stderr.includes("the server doesn't have a resource type");
  if (known && wait) await letGo(scene);
  const finish = async () => {
    await scene.kubectl('delete', 'namespace', scene.namespace, '--wait=false', '--ignore-not-found');
  };
  return { finish };
}

/** Takes the finalizers off whatever is left in the namespace. */
async function letGo(scene: Scene): Promise<void> {
  const { stdout } = await scene.terminal.tryKubectl(['get', `${OWNERS},${REST}`, '-o', 'name']);
  for (const name of stdout.split('\n').filter((line) => line !== ''))
    await scene.terminal.tryKubectl(['patch', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
}
