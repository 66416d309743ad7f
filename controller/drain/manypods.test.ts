import { expect, test } from 'bun:test';
import type { PodDisruptionBudget } from '../runtime/workload.ts';
import { benchDrain, podOn } from './drains.fixture.ts';
import { planDrain } from './plan.ts';
import { freshPod } from './podmemory.ts';
import { slimPod } from './pods.ts';

/** hack/decisions/0028 T54: a target's API server is its owner's program, and says how many pods a Node has. */

const crowd = (count: number) => Array.from({ length: count }, (_, at) => slimPod(podOn(`p-${at}`)));

test('of a Node that is said to have more pods than any can have none is looked at, and the drain waits and says so', () => {
  const { target, look } = benchDrain();
  target.pods.reset(crowd(5_001), '1');
  const view = look();
  expect([view.podsKnown, view.pods.length]).toEqual([false, 0]);
  expect(planDrain(view)).toMatchObject({
    kind: 'wait',
    reason: 'PodsUnknown',
    message: expect.stringContaining('more pods of the Node than any Node can have'),
  });
  target.pods.reset(crowd(5_000), '2');
  expect([look().podsKnown, look().pods.length]).toEqual([true, 5_000]);
});

test('by force its drain ends without them', () => {
  const { target, look, clock } = benchDrain({ forced: true });
  target.pods.reset(crowd(5_001), '1');
  const { deadline } = look();
  const after = { ...look(), now: deadline + 60_000 };
  expect([clock.now() < deadline, planDrain(after).kind]).toEqual([true, 'pass']);
});

test('a budget wakes the drains that it held up when they were looked at last, and no others', () => {
  const { drains, request, target, look, woken } = benchDrain();
  const put = (name: string, version: string) =>
    target.budgets.put({
      metadata: { name, namespace: 'shop', uid: name, resourceVersion: version },
    } as PodDisruptionBudget);
  target.pods.put(podOn('p'));
  const [uid = ''] = look().pods.map((pod) => pod.uid);
  drains.of(request).pods.set(uid, { ...freshPod(), budget: 'shop/one' });
  look();
  woken.length = 0;
  put('other', '1');
  expect(woken).toEqual([]);
  put('one', '2');
  expect(woken).toEqual(['herd/m 100']);
});
