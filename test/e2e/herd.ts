import { isDeepStrictEqual } from 'node:util';
import type { Manifest, Scene, Seen } from './scene.ts';

const API = 'machine.sapcloud.io/v1alpha1';
/** Where the virtual driver keeps its VMs. */
const CLOUD = 'drover-virtual-cloud';

/** Keeps real pods off virtual Nodes, on which nothing runs. */
export const TAINT = { key: 'drover.dev/virtual', effect: 'NoSchedule' } as const;

/** A Machine as kubectl prints it. */
export interface SeenMachine extends Seen {
  spec: { providerID?: string; nodeTemplate?: unknown };
  status?: { currentStatus?: { phase?: string }; currentStep?: { reason?: string } };
}

/** What must not change when nothing rolls. */
export interface Identities {
  /** Name of each Machine, with its UID and its VM. */
  machines: Record<string, string>;
  /** Name of each MachineSet, with UID and generation. */
  sets: Record<string, string>;
  /** VMs by UID, with the moment at which each was made. */
  vms: Record<string, string>;
}

/** A class of virtual VMs. */
export const virtualClass = (name = 'small', providerSpec: object = {}): Manifest => ({
  apiVersion: API,
  kind: 'MachineClass',
  metadata: { name },
  provider: 'virtual',
  providerSpec: { node: { taints: [TAINT] }, ...providerSpec },
});

/** A deployment of such machines, which carry the label `pool: <name>`. */
export function pool(replicas: number, name = 'pool', spec: object = {}): Manifest {
  const labels = { pool: name };
  const template = { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } };
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  return {
    apiVersion: API,
    kind: 'MachineDeployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, strategy, template, ...spec },
  };
}

/** Machines of the scene's namespace. */
export const machinesOf = (scene: Scene): Promise<SeenMachine[]> =>
  scene.list<SeenMachine>('machines.machine.sapcloud.io');

/** Makes a class and a pool, and waits until its machines run. */
export async function raise(scene: Scene, replicas: number): Promise<void> {
  await scene.apply(virtualClass());
  await scene.apply(pool(replicas));
  await whenRunning(scene, replicas);
}

/** Waits until there are just so many machines, all Running with Ready Nodes. */
export async function whenRunning(scene: Scene, count: number): Promise<SeenMachine[]> {
  return scene.until(`${count} machines of ${scene.namespace} to run`, async () => {
    const machines = await machinesOf(scene);
    const running = machines.filter(({ status }) => status?.currentStatus?.phase === 'Running');
    if (machines.length !== count || running.length !== count) return undefined;
    const names = machines.map(({ metadata }) => metadata.name);
    return (await readyNodes(scene, names)) === count ? machines : undefined;
  });
}

/** How many Nodes of these names are Ready. */
async function readyNodes(scene: Scene, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const path = '{range .items[*]}{.metadata.name}{"="}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
  const shown = await scene.kubectl('get', 'nodes', '-o', `jsonpath=${path}`);
  return shown.split('\n').filter((line) => names.some((name) => line === `${name}=True`)).length;
}

/** Who is there, so that two looks can be compared. */
export async function identities(scene: Scene): Promise<Identities> {
  const [machines, sets, vms] = await Promise.all([
    machinesOf(scene),
    scene.list('machinesets.machine.sapcloud.io'),
    vmsOf(scene),
  ]);
  return {
    machines: byName(machines, ({ metadata, spec }) => `${metadata.uid} ${spec.providerID}`),
    sets: byName(sets, ({ metadata }) => `${metadata.uid} generation ${metadata.generation}`),
    vms: byName(vms, ({ metadata }) => metadata.creationTimestamp),
  };
}

/** Throws when anybody has gone, come or changed since. */
export async function expectSame(scene: Scene, before: Identities): Promise<void> {
  const now = await identities(scene);
  if (isDeepStrictEqual(now, before)) return;
  throw new Error(`machines were replaced or changed: before ${JSON.stringify(before)}, now ${JSON.stringify(now)}`);
}

/** VMs that the virtual cloud has for Machines of the scene's namespace, as ConfigMaps. */
export async function vmsOf(scene: Scene): Promise<Seen[]> {
  const label = 'drover.dev/virtual-vm=true';
  const all = await scene.list<Seen & { data: { machine?: string } }>('configmaps', '-n', CLOUD, '-l', label);
  return all.filter(({ data }) => data.machine?.startsWith(`${scene.namespace}/`));
}

const byName = <T extends Seen>(items: readonly T[], of: (item: T) => string): Record<string, string> =>
  Object.fromEntries(items.map((item) => [item.metadata.name, of(item)]));
