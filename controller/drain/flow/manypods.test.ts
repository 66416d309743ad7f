import { expect, test } from 'bun:test';
import type { PodDisruptionBudget } from '../../runtime/k8s/workload.ts';
import { slimPod } from '../../targets/pods.ts';
import { attachment, benchDrain, podOn } from '../drains.fixture.ts';
import { freshPod } from '../podtracker.ts';
import { planDrain } from './plan.ts';

/** hack/decisions/0028 T54 and T68: a target's API server is its owner's program, and says how many pods a Node has. */

const crowd = (count: number) => Array.from({ length: count }, (_, at) => slimPod(podOn(`p-${at}`)));

test('of a Node that is said to have more pods than any can have none is looked at, and the drain waits and says so', () => {
  const { target, look } = benchDrain();
  target.pods.reset(crowd(5_001), '1');
  const view = look();
  expect([view.podsKnown, view.pods.length]).toEqual([false, 0]);
  expect(planDrain(view)).toMatchObject({
    kind: 'wait',
    reason: 'PodsUnknown',
    message: expect.stringContaining(
      'more pods of the Node, claims of these and VolumeAttachments than any Node can have',
    ),
  });
  target.pods.reset(crowd(5_000), '2');
  expect([look().podsKnown, look().pods.length]).toEqual([true, 5_000]);
});

// hack/decisions/0028 T72
test('of such a crowd no list is made', () => {
  const { target, look } = benchDrain();
  let listed = 0;
  const by = target.pods.by.bind(target.pods);
  target.pods.by = (index, value) => {
    const found = by(index, value);
    listed += found.length;
    return found;
  };
  target.pods.reset(crowd(20_000), '1');
  expect([look().podsKnown, listed]).toEqual([false, 0]);
  target.pods.reset([...crowd(20_000).map((pod) => ({ ...pod, status: { phase: 'Failed' } })), podOn('web')], '2');
  expect([look().podsKnown, listed]).toEqual([true, 1]);
});

const withClaims = (count: number) =>
  Array.from({ length: 50 }, (_, at) => {
    const { spec, ...pod } = podOn(`p-${at}`);
    const volumes = Array.from({ length: count }, (_, n) => ({ persistentVolumeClaim: { claimName: `${at}-${n}` } }));
    return slimPod({ ...pod, spec: { ...spec, volumes } });
  });
const attached = (count: number) => Array.from({ length: count }, (_, at) => attachment(`v${at}`));

test.each<[string, number, number, boolean]>([
  ['claims of its pods', 98, 50, true],
  ['too many claims of its pods', 100, 0, false],
  ['volumes', 0, 4_950, true],
  ['too many volumes', 0, 4_951, false],
  ['too many of both', 98, 51, false],
])('the same holds for one with %s', (_what, claims, volumes, isKnown) => {
  const { target, look } = benchDrain();
  target.pods.reset(withClaims(claims), '1');
  target.attachments.reset(attached(volumes), '1');
  const view = look();
  expect([view.podsKnown, view.pods.length]).toEqual([isKnown, isKnown ? 50 : 0]);
  expect(view.attachments).toHaveLength(volumes);
});

test('attachments that are too many themselves are taken for some that cannot be listed', () => {
  const { target, look } = benchDrain();
  target.pods.put(podOn('p'));
  target.attachments.reset(attached(5_001), '1');
  expect(look()).toMatchObject({ podsKnown: false, crowded: true });
  expect(look().attachments).toBeUndefined();
});

test('attachments are listed once for all pods of a Node', () => {
  const { target, look } = benchDrain();
  target.pods.reset(withClaims(1), '1');
  target.attachments.reset(attached(50), '1');
  let lists = 0;
  const by = target.attachments.by.bind(target.attachments);
  target.attachments.by = (index, value) => {
    lists += 1;
    return by(index, value);
  };
  look();
  expect(lists).toBe(1);
});

// hack/decisions/0051 L83: evicted pods stay until the pod garbage collector counts 12,500 in the cluster (--terminated-pod-gc-threshold).
test.each(['Failed', 'Succeeded'])(
  'thousands of pods that are %s do not keep the one that runs from being drained',
  (phase) => {
    const { target, look } = benchDrain();
    const ended = crowd(6_000).map((pod) => ({ ...pod, status: { phase } }));
    target.pods.reset([...ended, slimPod(podOn('web'))], '1');
    const view = look();
    expect([view.podsKnown, view.pods.map(({ name }) => name)]).toEqual([true, ['web']]);
    expect(planDrain(view)).toMatchObject({ kind: 'act', reason: 'EvictPods' });
    target.pods.reset(ended, '2');
    expect(look().pods).toEqual([]);
  },
);

test('by force its drain ends without them', () => {
  const { target, look, clock } = benchDrain({ forced: true });
  target.pods.reset(crowd(5_001), '1');
  const { deadline } = look();
  const after = { ...look(), now: deadline + 60_000 };
  expect([clock.now() < deadline, planDrain(after).kind]).toEqual([true, 'pass']);
});

test('a budget enqueues the drains that it held up when they were looked at last, and no others', () => {
  const { drains, request, target, look, enqueued } = benchDrain();
  const put = (name: string, version: string) =>
    target.budgets.put({
      metadata: { name, namespace: 'shop', uid: name, resourceVersion: version },
    } as PodDisruptionBudget);
  target.pods.put(podOn('p'));
  const [uid = ''] = look().pods.map((pod) => pod.uid);
  drains.of(request).pods.set(uid, { ...freshPod(), budget: 'shop/one' });
  look();
  enqueued.length = 0;
  put('other', '1');
  expect(enqueued).toEqual([]);
  put('one', '2');
  expect(enqueued).toEqual(['herd/m 100']);
});
