import { describe, expect, test } from 'bun:test';
import { pods as podResource } from '../runtime/k8s/workload.ts';
import { forbiddenByBudget } from './calls.fake.ts';
import { benchDrain, podOn } from './drains.fixture.ts';
import { NOW } from './flow/view.fixture.ts';

// hack/decisions/0051 L9: each refusal cost 20 seconds, and a list of budgets

const LABELS = { app: 'shop' };

/** Pods under one budget that lets one be missing: a replacement is Ready some time after a pod has left. */
function shop(count: number, readyMs: number, watched = true) {
  const bench = benchDrain();
  const { server, target, clock } = bench;
  let version = 10;
  let freeAt = 0;
  const tell = (disruptionsAllowed: number) => {
    const metadata = { namespace: 'shop', name: 'b', generation: 1, uid: 'b', resourceVersion: `${++version}` };
    const status = { observedGeneration: 1, disruptionsAllowed, expectedPods: count, currentHealthy: count - 1 };
    if (watched) target.budgets.put({ metadata, spec: { selector: { matchLabels: LABELS } }, status });
  };
  if (watched) target.budgets.reset([], '0');
  tell(1);
  for (let n = 0; n < count; n++) {
    server.put(podResource, { metadata: { namespace: 'shop', name: `p${n}`, labels: LABELS } });
    target.pods.put(podOn(`p${n}`));
  }
  server.onCall = (call) => {
    if (!call.startsWith('evict')) return;
    if (clock.now() < freeAt) throw forbiddenByBudget;
    freeAt = clock.now() + readyMs;
    tell(0);
    clock.after(readyMs, () => tell(1));
    const pod = target.pods.get(call.split(' ')[1] ?? '');
    if (pod) target.pods.drop({ ...pod, metadata: { ...pod.metadata, resourceVersion: `${++version}` } });
  };
  /** Looks when it is enqueued, or when it wants to look. */
  const drained = async () => {
    while (clock.now() < NOW + 3_600_000) {
      if ((await bench.run()) === 'pass') return clock.now() - NOW;
      await clock.advance(100);
    }
    return Infinity;
  };
  return { ...bench, tell, drained };
}

/** How long `kubectl drain` takes, which asks for each pod every 5 seconds. */
function byKubectl(count: number, readyMs: number): number {
  let [left, freeAt, now] = [count, 0, 0];
  for (; ; now += 5_000) {
    if (now >= freeAt && left > 0) {
      left--;
      freeAt = now + readyMs;
    }
    if (left === 0) return now;
  }
}

describe('pods under a budget leave one after the other', () => {
  test('as fast as replacements become ready', async () => {
    const { drained, server } = shop(6, 2_000);
    expect(await drained()).toBeLessThanOrEqual(5 * 2_000 * 1.2 + 1_000);
    // That with which it ends, and none of budgets.
    expect(server.calls.filter((call) => call.startsWith('list'))).toEqual(['list pods undefined']);
    expect(server.calls.filter((call) => call.startsWith('get'))).toHaveLength(5);
    expect(server.calls.filter((call) => call.startsWith('evict')).length).toBeLessThanOrEqual(12);
  });

  test.each([500, 2_000, 4_900, 5_100, 9_000, 12_000, 31_000])(
    'never slower than by kubectl: replacements ready after %i ms',
    async (readyMs) => {
      expect(await shop(6, readyMs).drained()).toBeLessThanOrEqual(byKubectl(6, readyMs) + 1_000);
    },
  );

  test('also where budgets cannot be watched', async () => {
    expect(await shop(6, 4_000, false).drained()).toBeLessThanOrEqual(byKubectl(6, 4_000) + 1_000);
  });
});

describe('a pod that was refused', () => {
  const evictions = (calls: string[]) => calls.filter((call) => call.startsWith('evict')).length;

  test('is left in peace for 20 seconds while its budget allows nothing (hack/spec/mcm.md 7.3)', async () => {
    const { run, server, clock, tell } = shop(2, 3_600_000);
    await run();
    expect(evictions(server.calls)).toBe(2);
    for (let second = 0; second < 19; second++) {
      tell(0);
      await clock.advance(1_000);
      await run();
    }
    expect(evictions(server.calls)).toBe(2);
    await clock.advance(1_000);
    await run();
    expect(evictions(server.calls)).toBe(3);
  });

  test('is asked again when it has changed, as often as by kubectl', async () => {
    const { run, server, clock, target } = shop(2, 3_600_000);
    await run();
    const pod = podOn('p1');
    target.pods.put({ ...pod, metadata: { ...pod.metadata, resourceVersion: '99' }, status: { phase: 'Failed' } });
    await clock.advance(4_900);
    await run();
    expect(evictions(server.calls)).toBe(2);
    await clock.advance(100);
    await run();
    expect(evictions(server.calls)).toBe(3);
  });

  test('is asked again when its budget is gone', async () => {
    const { run, server, clock, target } = shop(2, 3_600_000);
    await run();
    target.budgets.drop({ metadata: { namespace: 'shop', name: 'b', uid: 'b', resourceVersion: '999' } });
    await clock.advance(100);
    await run();
    expect(evictions(server.calls)).toBe(3);
  });

  test('enqueues its drain when its budget changes', async () => {
    const { run, enqueued, tell } = shop(2, 3_600_000);
    await run();
    enqueued.length = 0;
    tell(1);
    expect(enqueued).toEqual(['herd/m 100']);
  });

  test('is asked once more for each news of its budget, however often that is wrong', async () => {
    const { run, server, clock, tell } = shop(3, 3_600_000);
    await run();
    const before = evictions(server.calls);
    tell(1);
    for (let second = 0; second < 10; second++) {
      await clock.advance(1_000);
      await run();
    }
    expect(evictions(server.calls) - before).toBeLessThanOrEqual(2);
  });
});
