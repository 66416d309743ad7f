import { expect, test } from 'bun:test';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { type Farm, refusalOf } from './farm.ts';

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const budgets: Resource = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};

/** A pod that no node has yet, so that nothing needs to end gracefully. */
function pod(farm: Farm, labels: Record<string, string>): Promise<KubeObject> {
  const spec = { containers: [{ name: 'c', image: 'none' }], terminationGracePeriodSeconds: 0 };
  return farm.api.create(pods, { metadata: { ...farm.ref(farm.name('pod')), labels }, spec } as KubeObject);
}

function evict(farm: Farm, { metadata: { namespace, name } }: KubeObject): Promise<unknown> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
  return farm.api.create(pods, eviction, { subresource: 'eviction' });
}

/** Writes a status, as the controller of a kind would. */
async function report(farm: Farm, resource: Resource, { object, status }: { object: KubeObject; status: object }) {
  const patch = { type: 'merge', body: { status } } as const;
  await farm.api.patch(resource, object.metadata, patch, { subresource: 'status' });
}

/** What comes of an eviction. */
export function evictions(farm: Farm): void {
  test('that no budget covers', async () => {
    const free = await pod(farm, { flock: 'free' });
    await evict(farm, free);
    expect(await refusalOf(farm.api.get(pods, free.metadata))).toBe('404 NotFound');
  });

  test('not at all where there is none', async () => {
    expect(await refusalOf(evict(farm, { metadata: farm.ref('nobody') }))).toBe('404 NotFound');
  });

  test('not while their budget allows none', async () => {
    const labels = { flock: 'guarded' };
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    const budget = await farm.api.create(budgets, { metadata: farm.ref('budget'), spec } as KubeObject);
    const counted = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    };
    await report(farm, budgets, { object: budget, status: counted });
    const guarded = await pod(farm, labels);
    // A pod that does not run yet may go; one that runs is what budgets are for.
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await report(farm, pods, { object: guarded, status });
    expect(await refusalOf(evict(farm, guarded))).toBe('429 TooManyRequests');
  });
}
