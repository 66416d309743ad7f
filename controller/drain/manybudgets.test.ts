import { describe, expect, test } from 'bun:test';
import type { PodDisruptionBudget } from '../runtime/k8s/workload.ts';
import { whyRefused } from './budgets.ts';
import { apiError } from './calls.fake.ts';
import { benchDrain } from './drains.fixture.ts';

/** hack/decisions/0028 T70: a target's API server says how many budgets a namespace has, and refuses each eviction by one of them. */

const SAID = 'The disruption budget b needs 1 healthy pods and has 1 currently';
const refused = apiError(429, 'TooManyRequests', { causes: [{ reason: 'DisruptionBudget', message: SAID }] });

const budget = (name: string, matchLabels: Record<string, string>): PodDisruptionBudget =>
  ({
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', generation: 1 },
    spec: { selector: { matchLabels } },
    status: { observedGeneration: 1, expectedPods: 2, currentHealthy: 1, desiredHealthy: 2, disruptionsAllowed: 0 },
  }) as PodDisruptionBudget;

/** Why the pod `web` is refused beside these budgets, and how many of them were looked at. */
async function refusedBeside(budgets: readonly PodDisruptionBudget[], labels = { app: 'web' }) {
  const { target } = benchDrain();
  const looked = new Set<string>();
  const watched = budgets.map((one) => ({
    ...one,
    get spec() {
      looked.add(one.metadata.name);
      return one.spec;
    },
  }));
  target.budgets.reset(watched as PodDisruptionBudget[], '1');
  looked.clear();
  const { signal } = new AbortController();
  const pod = { namespace: 'shop', name: 'p' };
  const { budget: by, reason } = await whyRefused(target, pod, { error: refused, signal, labels });
  return { by, reason, looked: looked.size };
}

describe('of the budgets of a namespace', () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, at) => budget(`o-${at}`, { app: `another-${at}` }));

  test('the first by name that is about the pod is told, in whatever order they come', async () => {
    const web = ['z', 'b', 'q'].map((name) => budget(name, { app: 'web' }));
    expect(await refusedBeside([...others(1_990), ...web])).toMatchObject({ by: 'shop/b' });
  });

  test('none is looked at where there are more than a namespace has', async () => {
    const found = await refusedBeside([...others(2_000), budget('b', { app: 'web' })]);
    expect(found).toEqual({ by: undefined, reason: SAID, looked: 0 });
  });

  test('no more are looked at than a look has time for', async () => {
    const wide = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`l${at}`, 'x']));
    const slow = Array.from({ length: 1_000 }, (_, at) => budget(`c-${at}`, { ...wide, z: 'no' }));
    const found = await refusedBeside([...slow, budget('b', { app: 'web' })], { ...wide, app: 'web' });
    expect(found).toMatchObject({ by: undefined, reason: SAID });
    expect(found.looked).toBeLessThan(250);
  });
});
