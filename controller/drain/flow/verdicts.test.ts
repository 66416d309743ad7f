import { describe, expect, test } from 'bun:test';
import { pods as podResource } from '../../runtime/k8s/workload.ts';
import { benchDrain, podOn } from '../drains.fixture.ts';
import type { DrainRule } from './rules.ts';
import { Verdicts } from './verdicts.ts';
import { NOW } from './view.fixture.ts';

// hack/decisions/0028 T41: rules within all bounds stopped the event loop, for each change of a pod

const SKIP: DrainRule = { name: 'z', behavior: 'Skip', order: 0 };

/** So many rules of 100 parts each, none of which picks a pod; counts how often one is held against one. */
function countedRules(count: number) {
  const held = { times: 0 };
  const selector = {
    matchExpressions: Array.from({ length: 100 }, (_, at) => ({
      key: at < 99 ? `k${at}` : 'never',
      operator: at < 99 ? 'DoesNotExist' : 'Exists',
    })),
  };
  const rules = Array.from(
    { length: count },
    (_, at): DrainRule => ({
      name: `r${at}`,
      behavior: 'Skip',
      order: 0,
      get pods() {
        held.times += 1;
        return [{ selector }];
      },
    }),
  );
  return { rules, held };
}

/** A drain of so many pods under such rules. */
function shop({ pods, rules: count }: { pods: number; rules: number }) {
  const { rules, held } = countedRules(count);
  const bench = benchDrain({ rules: { at: 'known', rules } });
  const put = (at: number, labels: Record<string, string>, version = '1') => {
    const pod = podOn(`p${at}`);
    const metadata = { ...pod.metadata, resourceVersion: version };
    bench.server.put(podResource, { ...pod, metadata: { ...metadata, labels } });
    bench.target.pods.put({ ...pod, metadata });
  };
  for (let at = 0; at < pods; at++) put(at, { never: 'no', k1: String(at) });
  /** How often a rule was held against a pod meanwhile. */
  const during = async (act: () => unknown) => {
    const before = held.times;
    await act();
    return held.times - before;
  };
  /** Labels as a list brings them: each object is new. */
  const relist = () => {
    for (const one of [...bench.server.objects.values()])
      bench.server.put(podResource, { ...one, metadata: { ...one.metadata, labels: { ...one.metadata.labels } } });
  };
  return { ...bench, put, during, relist };
}

describe('rules are held against pods', () => {
  test('once, for as long as the labels that they read stay', async () => {
    const { run, put, during, relist, clock, look } = shop({ pods: 30, rules: 1 });
    await run();
    put(3, { never: 'no', k1: 'other' }, '2');
    relist();
    await clock.advance(10_000);
    expect(await during(run)).toBe(1);
    put(3, { never: 'no', k1: 'other', unread: 'x' }, '3');
    await clock.advance(10_000);
    expect(await during(run)).toBe(0);
    expect(await during(look)).toBe(0);
  });

  test('no more of them in one look than it has time for, and nobody is asked to leave before', async () => {
    const { run, during, clock, look, server } = shop({ pods: 60, rules: 100 });
    const asked = () => server.calls.filter((call) => call.startsWith('evict')).length;
    expect([await run(), look().unjudged]).toEqual(['GetLabels', true]);
    for (let turns = 0; turns < 10 && look().unjudged; turns++) {
      expect(asked()).toBe(0);
      expect(await during(look)).toBeLessThanOrEqual(2_100);
      await clock.advance(20);
    }
    await run();
    expect(asked()).toBeGreaterThan(0);
  });

  test('by force as well: none is deleted of which nobody knows yet whether it is spared', async () => {
    const { look, run, clock, server, request } = shop({ pods: 60, rules: 99 });
    const rules = [...(request.rules.at === 'known' ? request.rules.rules : []), SKIP];
    Object.assign(request, { deadline: NOW, rules: { at: 'known', rules } });
    for (let turns = 0; turns < 10; turns++) {
      await run();
      await clock.advance(20);
    }
    expect([look().skipped?.length, server.calls.filter((call) => call.startsWith('delete'))]).toEqual([60, []]);
  });

  test('as they are now, where one of several was changed', () => {
    const pod = { namespace: 'shop', completed: false, drainLabels: {}, labels: {}, namespaceLabels: {} };
    const verdicts = new Verdicts();
    verdicts.follow([{ ...SKIP, name: 'a' }, SKIP]);
    expect(verdicts.on(pod)).toMatchObject({ behavior: 'Skip' });
    verdicts.follow([{ ...SKIP, name: 'a', behavior: 'WaitCompleted' }, SKIP]);
    expect(verdicts.on(pod)).toMatchObject({ behavior: 'WaitCompleted' });
  });
});
