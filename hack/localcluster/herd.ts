import { type Api, ApiError, isAlreadyExists } from '../../controller/runtime/client/api.ts';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { readManifests } from '../controlplane/manifests.ts';
import { Hopeless, until } from '../lib/until.ts';
import { manifests } from './place.ts';

/** The example herd: a Secret, a MachineClass and a MachineDeployment of this name, in this namespace. */
export const herd = { namespace: 'default', name: 'herd' };

const KINDS: readonly Resource[] = [secrets, resources.machineClasses, resources.machineDeployments];
/** The API server needs a moment to learn of a webhook that was just registered, or has just changed its certificate. */
const WEBHOOK_MS = 15_000;

/** What to look for: so many machines with these labels. */
export interface Wanted {
  machines: number;
  /** A label selector as queries take it. */
  selector: string;
}

/**
 * Makes what is missing of the herd, and leaves what is there as the user has it; but for the number of machines, if
 * one is asked for.
 */
export async function ensureHerd(api: Api, replicas: number | undefined, signal: AbortSignal): Promise<Wanted> {
  for (const object of await readManifests(manifests.herd)) {
    const make = () => createMissing(api, inHerd(object, replicas));
    const what = `the API server to take ${object.kind} ${object.metadata.name}`;
    await until(what, make, { timeoutMs: WEBHOOK_MS, signal });
  }
  const scale = { type: 'merge', body: { spec: { replicas } } } as const;
  const { spec } = await (replicas === undefined
    ? api.get(resources.machineDeployments, herd)
    : api.patch(resources.machineDeployments, herd, scale));
  const labels = Object.entries(spec.selector?.matchLabels ?? {});
  return { machines: spec.replicas ?? 0, selector: labels.map(([key, value]) => `${key}=${value}`).join() };
}

function inHerd(object: KubeObject, replicas: number | undefined): KubeObject {
  const placed = { ...object, metadata: { ...object.metadata, namespace: herd.namespace } };
  if (object.kind !== resources.machineDeployments.kind || replicas === undefined) return placed;
  return { ...placed, spec: { ...(object as MachineDeployment).spec, replicas } } as KubeObject;
}

/** What the API server refuses for good, waiting will not make better. */
async function createMissing(api: Api, object: KubeObject): Promise<true> {
  const resource = KINDS.find(({ kind }) => kind === object.kind);
  if (!resource) throw new Hopeless(`the herd has a ${object.kind}, which hack/localcluster/herd.ts does not know`);
  try {
    await api.create(resource, object);
  } catch (error) {
    if (isAlreadyExists(error)) return true;
    if (error instanceof ApiError && error.status >= 500) throw error;
    throw new Hopeless(`could not make ${object.kind} ${object.metadata.name}`, { cause: error });
  }
  return true;
}
