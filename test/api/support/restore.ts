import type { Api } from '../../../controller/runtime/client/api.ts';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { until } from '../../../hack/lib/until.ts';
import { resources } from '../../../schemas/kinds.ts';

const KINDS: ReadonlyArray<Resource<KubeObject>> = [
  resources.machineClasses,
  resources.machineDeployments,
  resources.machineSets,
  resources.machines,
];

/** UIDs, to compare sets of objects by. */
export const uidsOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.uid ?? '').sort();

/** What a backup brings back of an object: without UID and owners, with or without its status. */
function backedUp({ metadata, ...object }: KubeObject & { status?: unknown }, change: Change): KubeObject {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const { status, ...rest } = object;
  const copy = {
    ...rest,
    ...(change.status && { status }),
    metadata: { name, namespace, labels, annotations, finalizers },
  };
  return change.of?.(copy as KubeObject) ?? (copy as KubeObject);
}

/** How a restore differs from the backup. */
export interface Change {
  status: boolean;
  of?(object: KubeObject): KubeObject;
}

/** Brings all objects of one place into another, where there are none of them. */
export async function restore(from: Api, to: Api, change: Change): Promise<void> {
  const kept = await allOf(from);
  for (const { kind, items } of kept) await wipe(to, kind, items);
  for (const { kind, items } of kept) {
    for (const item of items) {
      const copy = backedUp(item, change);
      const there = await to.create(kind, copy);
      const { status } = copy as { status?: object };
      if (status) await to.patch(kind, there.metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
  }
}

const allOf = (api: Api) => Promise.all(KINDS.map(async (kind) => ({ kind, ...(await api.list(kind)) })));

/** All objects are lost, and nobody was asked. */
export async function lose(api: Api): Promise<void> {
  for (const { kind, items } of await allOf(api)) await wipe(api, kind, items);
  const areGone = async () => (await allOf(api)).every(({ items }) => items.length === 0);
  await until('all objects to be lost', areGone, { timeoutMs: 15_000 });
}

/** As if the API server were fresh: nothing is left, and nobody was asked. */
async function wipe(api: Api, kind: Resource<KubeObject>, items: readonly KubeObject[]): Promise<void> {
  for (const { metadata } of items) {
    const gone = (error: { status?: number }) => {
      if (error.status !== 404) throw error;
    };
    await api.patch(kind, metadata, { type: 'merge', body: { metadata: { finalizers: null } } }).catch(gone);
    await api.delete(kind, metadata).catch(gone);
  }
}
