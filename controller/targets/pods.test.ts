import { describe, expect, test } from 'bun:test';
import { at, BORN } from '../../test/fixtures/objects.ts';
import { isGoTrue, lostAt, refusedMost } from '../drain/flow/plan.ts';
import { reportOf } from '../drain/flow/report.ts';
import { drain, NOW, pod } from '../drain/flow/view.fixture.ts';
import type { PodFact } from '../drain/flow/view.ts';
import type { Pod } from '../runtime/k8s/workload.ts';
import { attachmentIndexes, isDrained, slimAttachment, slimBudget, slimPod, volumeClaimsOf } from './pods.ts';

const owner = (kind: string, controller = true) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'o', uid: 'u', controller }],
});
const podWith = (metadata: Partial<Pod['metadata']>, more: Partial<Pod> = {}): Pod => ({
  metadata: { namespace: 'shop', name: 'a', uid: 'u', resourceVersion: '1', ...metadata },
  spec: { nodeName: 'm' },
  ...more,
});

describe('which pods leave (hack/spec/mcm.md 7.1)', () => {
  test.each([
    ['a pod without controller', podWith({}), true],
    ['a pod of a ReplicaSet', podWith(owner('ReplicaSet')), true],
    ['a pod of a DaemonSet', podWith(owner('DaemonSet')), false],
    ['a pod that a DaemonSet owns and does not control', podWith(owner('DaemonSet', false)), true],
    ['a mirror pod', podWith({ annotations: { 'kubernetes.io/config.mirror': 'x' } }), false],
    ['a pod that has ended', podWith({}, { status: { phase: 'Succeeded' } }), true],
    ['a pod that is leaving', podWith({ deletionTimestamp: at(0) }), true],
  ])('%s', (_what, one, expected) => {
    expect([isDrained(one), isDrained(slimPod(one))]).toEqual([expected, expected]);
  });
});

test('of a pod is kept what a drain reads, and nothing else', () => {
  const whole = podWith(
    {
      labels: { app: 'a' },
      annotations: { note: 'long' },
      creationTimestamp: at(0),
      deletionTimestamp: at(9),
      deletionGracePeriodSeconds: 9,
      ...owner('ReplicaSet'),
    },
    {
      spec: {
        nodeName: 'm',
        priority: 7,
        terminationGracePeriodSeconds: 9,
        volumes: [{ name: 'cache' }, { name: 'data', persistentVolumeClaim: { claimName: 'c' } }],
      },
      status: { phase: 'Running' },
    },
  );
  expect(slimPod(whole)).toEqual({
    metadata: {
      namespace: 'shop',
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      deletionTimestamp: at(9),
      deletionGracePeriodSeconds: 9,
    },
    spec: {
      nodeName: 'm',
      priority: 7,
      terminationGracePeriodSeconds: 9,
      volumes: [{ persistentVolumeClaim: { claimName: 'c' } }],
    },
    status: { phase: 'Running' },
  });
});

test('of a budget is kept what tells how it stands: of pods that are being disrupted, that there are any', () => {
  const metadata = { namespace: 'shop', name: 'b', uid: 'u', resourceVersion: '1', generation: 2 };
  const status = {
    observedGeneration: 2,
    expectedPods: 3,
    currentHealthy: 3,
    desiredHealthy: 2,
    disruptionsAllowed: 1,
  };
  const selector = { matchLabels: { app: 'a' } };
  const whole = {
    metadata: { ...metadata, labels: { more: 'x' } },
    spec: { selector, minAvailable: 2 },
    status: { ...status, disruptedPods: { a: at(0), b: at(1) }, conditions: [] },
  };
  const slim = { metadata, spec: { selector }, status: { ...status, disruptedPods: { a: '' } } };
  expect<unknown>(slimBudget(whole)).toEqual(slim);
});

test('of what says that a pod stays, only that it says so is kept', () => {
  // hack/decisions/0028 T16
  const long = 'x'.repeat(1 << 20);
  const daemon = { ...owner('DaemonSet').ownerReferences[0], kind: 'DaemonSet', name: long, more: long } as never;
  const one = podWith({ annotations: { 'kubernetes.io/config.mirror': long }, ownerReferences: [daemon] });
  expect(JSON.stringify(slimPod(one)).length).toBeLessThan(400);
});

describe('what the status tells of pods', () => {
  const told = (...pods: readonly PodFact[]) =>
    reportOf(drain({ pods })).map(({ name, result, reason }) => [name, result, reason].filter(Boolean).join(' '));

  test('is trouble first, then by name', () => {
    const refused = { answer: { result: 'Refused', reason: 'budget "b"' } } as const;
    const failed = { answer: { result: 'Failed', reason: 'no answer' } } as const;
    const all = [
      pod('waits'),
      pod('leaves', { endsAt: NOW }),
      pod('hangs', { endsAt: NOW - 30_001 }),
      pod('fails', failed),
      pod('z', refused),
      pod('y', refused),
    ];
    expect(told(...all)).toEqual([
      'shop/y Refused budget "b"',
      'shop/z Refused budget "b"',
      'shop/fails Failed no answer',
      'shop/hangs Overdue its grace period is over and it is still there',
      'shop/leaves Leaving',
      'shop/waits Waiting',
    ]);
  });

  test('is of fifty pods at most', () => {
    const many = Array.from({ length: 60 }, (_, n) => pod(`p${n}`));
    expect(told(...many)).toHaveLength(50);
  });
});

describe('a Node is lost (hack/spec/mcm.md 6.8)', () => {
  const since = (type: string, status: string, seconds = 0) => ({ type, status, lastTransitionTime: at(seconds) });
  test.each([
    ['five minutes after it was not Ready', [since('Ready', 'False')], 300],
    ['or nobody knew', [since('Ready', 'Unknown', 60)], 360],
    ['or its file system became read-only', [since('Ready', 'True'), since('ReadonlyFilesystem', 'True')], 300],
    ['or might have', [since('ReadonlyFilesystem', 'Unknown')], 300],
    ['whichever was first', [since('Ready', 'False', 60), since('ReadonlyFilesystem', 'True')], 300],
    ['never while all is well', [since('Ready', 'True'), since('ReadonlyFilesystem', 'False')], Infinity],
    ['never because of anything else', [since('DiskPressure', 'True')], Infinity],
    ['never without a time', [{ type: 'Ready', status: 'False' }], Infinity],
    ['never without conditions', [], Infinity],
  ])('%s', (_what, conditions, seconds) => expect(lostAt(conditions, 0)).toBe(BORN + seconds * 1_000));

  test('not before five minutes after an outage in which nobody could see it', () => {
    expect(lostAt([since('Ready', 'False')], BORN + 600_000)).toBe(BORN + 900_000);
  });
});

describe('a pod is deleted after refusals', () => {
  const hours = 3_600_000;
  test.each([
    ['for as long as so many take', 5, 2 * hours, 100_000],
    ['never before the time of the drain is over by default (hack/spec/mcm.md 3.3)', 360, 2 * hours, Infinity],
    ['never because the time is short', 5, 60_000, Infinity],
    ['at once if told so', 0, 2 * hours, 0],
  ])('%s', (_what, configured, timeoutMs, expected) => expect(refusedMost(configured, timeoutMs)).toBe(expected));
});

test.each([
  ['true', true],
  ['T', true],
  ['1', true],
  ['True', true],
  ['yes', false],
  ['tRUE', false],
  ['', false],
  [undefined, false],
])('Go reads %p as %p', (value, expected) => expect(isGoTrue(value)).toBe(expected));

// hack/decisions/0028 T73: a target says how long names are, and each look makes texts of them
test('what is longer than any name of a claim or volume names none', () => {
  const volumes = (long: number) => [
    { persistentVolumeClaim: { claimName: 'c'.repeat(long) } },
    { name: 'e'.repeat(long), ephemeral: {} },
  ];
  const claims = (long: number) => volumeClaimsOf(slimPod(podWith({}, { spec: { volumes: volumes(long) } })));
  expect([claims(253).length, claims(254).length]).toEqual([2, 0]);
  const attached = (long: number) =>
    slimAttachment({
      metadata: { name: 'x' },
      spec: { nodeName: 'm', source: { persistentVolumeName: 'v'.repeat(long) } },
      status: { attached: true },
    });
  const found = (long: number) => attachmentIndexes.attached(attached(long)).length;
  expect([found(253), found(254)]).toEqual([1, 0]);
});
