import { expect, test } from 'bun:test';
import { heapKept } from '../runtime/heapkept.fixture.ts';
import { persistentVolumeClaims, pods as podResource } from '../runtime/k8s/workload.ts';
import { whyRefused } from './budgets.ts';
import { apiError } from './calls.fake.ts';
import { attachment, benchDrain, podOn } from './drains.fixture.ts';

/** hack/decisions/0028 T52: what a hostile target answers was kept as it came, for as long as a drain lasted. */

const WIDE = 'x'.repeat(100_000);

function claimed(volumeName: string) {
  const bench = benchDrain();
  bench.target.attachments.put(attachment('pv'));
  bench.target.pods.put(podOn('p', { claim: 'c' }));
  const claim = { metadata: { namespace: 'shop', name: 'c' }, spec: { volumeName }, status: { phase: 'Bound' } };
  bench.server.put(persistentVolumeClaims, claim as never);
  const known = () => bench.drains.known(bench.request.uid)?.claims;
  return { ...bench, known };
}

test.each([
  ['that no volume can have is not kept', WIDE, []],
  ['of a volume is', 'pv', ['pv']],
])('the name %s', async (_, name, kept) => {
  const { run, known } = claimed(name);
  await run();
  expect([...(known()?.volumes() ?? [])].map((volume) => volume.name)).toEqual(kept);
  expect(known()?.of('shop/c').at).toBe('known');
});

test('a claim is forgotten with its pod, unless its volume is still attached', async () => {
  const { run, known, target, look } = claimed('pv');
  await run();
  target.pods.drop(podOn('p', { claim: 'c' }));
  look();
  expect(known()?.of('shop/c').at).toBe('known');
  target.attachments.drop(attachment('pv'));
  look();
  expect(known()?.of('shop/c').at).toBe('pending');
});

test.each([
  ['are kept', { app: 'shop' }, { app: 'shop' }],
  ['are not kept if they are many', { app: WIDE }, undefined],
])('labels of a pod that was refused %s, and of the sentence no more than can be read', async (_, labels, kept) => {
  const { server, target, run, drains, request } = benchDrain();
  target.budgets.reset([], '1');
  const pod = podOn('p');
  target.pods.put(pod);
  server.put(podResource, { ...pod, metadata: { ...pod.metadata, labels } } as never);
  server.onCall = (call) => {
    const causes = [{ reason: 'DisruptionBudget', message: WIDE }];
    if (call.startsWith('evict')) throw apiError(429, 'TooManyRequests', { causes });
  };
  await run();
  const [memory] = drains.known(request.uid)?.pods.values() ?? [];
  expect(memory?.labels).toEqual(kept);
  expect(memory?.answer).toEqual({ result: 'Refused', reason: WIDE.slice(0, 512) });
});

test('a sentence that is kept holds nothing of what was cut off it (hack/decisions/0028 T56)', async () => {
  const { target } = benchDrain();
  const { signal } = new AbortController();
  const keep = (message: string) => {
    const details = { causes: [{ reason: 'DisruptionBudget', message }] };
    return whyRefused(target, { name: 'p' }, { error: apiError(429, 'TooManyRequests', details), signal, labels: {} });
  };
  expect(await heapKept(keep)).toBeLessThan(0.2);
});
