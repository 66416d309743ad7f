import { describe, expect, test } from 'bun:test';
import { persistentVolumeClaims } from '../runtime/k8s/workload.ts';
import { forbiddenByBudget } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, podOn } from './drains.fixture.ts';
import { NOW, drain as viewOf } from './flow/view.fixture.ts';
import type { DrainRequest } from './memory.ts';

/** A drain of one pod that its budget never lets go, and that is to be deleted after a minute of refusals. */
function stubborn({ claim, ...changes }: Partial<DrainRequest> & { claim?: string } = {}) {
  const bench = benchDrain({ limits: { ...viewOf().limits, refusedMs: 60_000 }, ...changes });
  const { server, target, clock, run } = bench;
  const pod = podOn('a', claim ? { claim } : {});
  target.pods.put(pod);
  server.onCall = (call) => {
    if (call.startsWith('evict')) throw forbiddenByBudget;
    if (call.startsWith('delete')) target.pods.drop({ ...pod, metadata: { ...pod.metadata, resourceVersion: '9' } });
  };
  const until = async (seconds: number) => {
    let said = await run();
    while (clock.now() < NOW + seconds * 1_000) {
      await clock.advance(1_000);
      said = await run();
    }
    return said;
  };
  const deleted = () => server.calls.filter((call) => call.startsWith('delete'));
  return { ...bench, until, deleted };
}

describe('a pod that was refused for as long as told (hack/spec/mcm.md 7.3: maxEvictRetries, one in 20 s)', () => {
  test('is deleted then, and not before', async () => {
    const { until, deleted } = stubborn();
    await until(59);
    expect(deleted()).toEqual([]);
    expect(await until(61)).toBe('pass');
    expect(deleted()).toEqual(['delete shop/a uid-a 0']);
  });

  // hack/decisions/0051 L4
  test('has volumes that are waited for like those of any other (hack/spec/mcm.md 7.4)', async () => {
    const { until, server, target, look } = stubborn({ claim: 'a' });
    server.put(persistentVolumeClaims, boundClaim('a'));
    target.attachments.put(attachment('pv-a'));
    expect(await until(61)).toBe('WaitingForVolumes');
    const { metadata } = attachment('pv-a');
    target.attachments.drop({ ...attachment('pv-a'), metadata: { ...metadata, resourceVersion: '9' } });
    expect(await until(62)).toBe('WaitingForVolumes');
    target.attachments.put(attachment('pv-a', 'elsewhere'));
    expect(await until(63)).toBe('pass');
    expect(look().volumesLate).toBeFalse();
  });

  // hack/decisions/0051 L26
  test('has been so since the status says, if that is another process', async () => {
    const { until, deleted } = stubborn({ refusedSince: new Map([['shop/a', NOW - 50_000]]) });
    await until(9);
    expect(deleted()).toEqual([]);
    await until(11);
    expect(deleted()).toHaveLength(1);
  });

  test('but not for longer than its drain, whose clocks began anew after an outage', async () => {
    const { until, deleted } = stubborn({ refusedSince: new Map([['shop/a', NOW - 50_000]]), startedAt: NOW - 1_000 });
    await until(58);
    expect(deleted()).toEqual([]);
    await until(60);
    expect(deleted()).toHaveLength(1);
  });
});

// hack/decisions/0028 T44: the label of a pod was said to hold a drain no longer than its budget could
test('a pod that is to complete is refused nothing, so that the time of the drain alone bounds it', async () => {
  const { until, deleted, target } = stubborn({ deadline: NOW + 120_000 });
  const { metadata, ...pod } = podOn('a');
  const labels = { 'drover.dev/drain': 'wait-completed' };
  target.pods.put({ ...pod, metadata: { ...metadata, resourceVersion: '2', labels } });
  expect([await until(119), deleted()]).toEqual(['PodsCompleting', []]);
  expect([await until(121), deleted()]).toEqual(['pass', ['delete shop/a uid-a 0']]);
});
