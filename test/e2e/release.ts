import { isObject } from '../../schemas/same.ts';
import { virtualClass } from './herd.ts';
import type { Scene, Seen } from './scene.ts';

/** Values of the chart. */
export type Values = Record<string, unknown>;

/** One installation of the chart. */
export interface Release {
  name: string;
  namespace: string;
}

/** The release that looks after all namespaces. */
export const shared: Release = { name: 'drover', namespace: 'drover-system' };

/** What is told of an installation beside its place. */
export interface Wish {
  values?: Values;
  /** Folder or archive of the chart; the working tree's unless said. */
  chart?: string;
}

/** The name that the chart gives to its objects. */
export const fullname = ({ name }: Release): string => (name.includes('drover') ? name : `${name}-drover`);

/** Flags that name a component's pods, or what else it has. */
export const selector = (release: Release, component: 'controller' | 'webhook'): string[] => [
  '-n',
  release.namespace,
  '-l',
  `app.kubernetes.io/instance=${release.name},app.kubernetes.io/component=${component}`,
];

const TIMEOUT = '--timeout=120s';

/** `helm install`, until all is ready and writes are judged. */
export async function install(scene: Scene, release: Release, wish: Wish = {}): Promise<void> {
  await ensureNamespace(scene, release.namespace);
  await scene.terminal.helm(words('install', release, [chartOf(scene, wish), ...WAIT]), valuesOf(scene, wish));
  await whenJudging(scene);
}

/** Waits until writes are judged: a pod that is ready is in the kube-proxy of the API server's Node a moment later. */
export async function whenJudging(scene: Scene): Promise<void> {
  const trial = JSON.stringify(virtualClass('trial'));
  const create = ['create', '--dry-run=server', '-f', '-'];
  await scene.until('a write to be let in', async () => (await scene.terminal.kubectlRead(trial, ...create)) !== '');
}

/** `helm upgrade`, until all is ready. */
export async function upgrade(scene: Scene, release: Release, wish: Wish = {}): Promise<void> {
  await scene.terminal.helm(words('upgrade', release, [chartOf(scene, wish), ...WAIT]), valuesOf(scene, wish));
}

/** `helm uninstall`, until what it takes away is gone. */
export async function uninstall(scene: Scene, release: Release): Promise<void> {
  await scene.terminal.helm(words('uninstall', release, ['--ignore-not-found', '--wait', TIMEOUT]));
}

const WAIT = ['--wait', TIMEOUT, '-f', '-'];

const words = (verb: string, { name, namespace }: Release, rest: readonly string[]): string[] => [
  verb,
  name,
  '-n',
  namespace,
  ...rest,
];

const chartOf = (scene: Scene, { chart }: Wish): string => chart ?? scene.surroundings.chart;

/** A namespace in which pods must be as harmless as can be. */
export async function ensureNamespace(scene: Scene, name: string): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
}

/** The image of the run, simulated machines, and what is wished for. */
export function valuesOf(scene: Scene, { values = {} }: Wish): Values {
  const [repository, tag] = splitReference(scene.surroundings.images.drover);
  const usual = { image: { repository, tag, pullPolicy: 'IfNotPresent' }, driver: { virtual: { enabled: true } } };
  return merged(usual, values);
}

/** Repository and tag of an image; throws when it has none. */
export function splitReference(reference: string): [string, string] {
  const colon = reference.lastIndexOf(':');
  if (colon <= reference.lastIndexOf('/')) throw new Error(`the image ${reference} has no tag; write it as name:tag`);
  return [reference.slice(0, colon), reference.slice(colon + 1)];
}

/** Two sets of values as helm merges them: maps by key, all else replaced. */
export function merged(one: Values, other: Values): Values {
  const result = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = result[key];
    result[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return result;
}

/** Pods of a component that are not on their way out. */
export async function podsOf(scene: Scene, release: Release, component: 'controller' | 'webhook'): Promise<SeenPod[]> {
  const pods = await scene.list<SeenPod>('pods', ...selector(release, component));
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** A pod as kubectl prints it. */
export interface SeenPod extends Seen {
  metadata: Seen['metadata'] & { deletionTimestamp?: string };
  spec: { nodeName?: string };
  status: { phase?: string; podIP?: string; conditions?: ReadonlyArray<{ type: string; status: string }> };
}

/** Waits until a component has as many ready pods as it shall, of which none is among those that were there before. */
export async function whenReplaced(scene: Scene, release: Release, was: readonly SeenPod[]): Promise<void> {
  const component = was[0]?.metadata.labels?.['app.kubernetes.io/component'] === 'webhook' ? 'webhook' : 'controller';
  const before = new Set(was.map(({ metadata }) => metadata.uid));
  await scene.until(`${was.length} other ${component} pods to be ready`, async () => {
    const pods = await podsOf(scene, release, component);
    return pods.filter(({ metadata }) => !before.has(metadata.uid)).filter(isReady).length >= was.length;
  });
}

/** Whether a pod takes part. */
export const isReady = ({ status }: SeenPod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
