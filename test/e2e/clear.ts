import type { Scene } from './scene.ts';

/** Kinds whose objects have a controller finish what they leave. */
export const OWNERS =
  'machinedeployments.machine.sapcloud.io,machinesets.machine.sapcloud.io,machines.machine.sapcloud.io';
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

/** Takes the finalizers off whatever is left in the namespace, or in all. */
export async function letGo(scene: Scene, ...everywhere: ['-A'] | []): Promise<void> {
  const path = '{range .items[*]}{.metadata.namespace}{" "}{.kind}{" "}{.metadata.name}{"\\n"}{end}';
  for (const kind of [...OWNERS.split(','), ...REST.split(',')]) {
    const { stdout } = await scene.terminal.tryKubectl(['get', kind, ...everywhere, '-o', `jsonpath=${path}`]);
    for (const line of stdout.split('\n').filter((one) => one !== '')) await letOneGo(scene, line.split(' '));
  }
}

async function letOneGo(scene: Scene, [namespace = '', kind = '', name = '']: string[]): Promise<void> {
  const none = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
  await scene.terminal.tryKubectl(['patch', kind, name, '-n', namespace, ...none]);
}
