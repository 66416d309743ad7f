import { describe, expect, test } from 'bun:test';
import type { Target } from '../model/target.ts';
import type { PodDisruptionBudget } from '../runtime/k8s/workload.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { apiError, forbiddenByBudget } from './calls.fake.ts';
import { attachment, benchDrain, leaving, podOn } from './drains.fixture.ts';
import { reportOf } from './flow/report.ts';
import { NOW } from './flow/view.fixture.ts';

const evictions = (calls: string[]) => calls.filter((call) => call.startsWith('evict'));

describe('calls of a drain', () => {
  test('are started and not awaited; each enqueues the key when it ends', async () => {
    const { run, server, target, enqueued, look } = benchDrain();
    const answer = Promise.withResolvers<void>();
    server.onCall = () => answer.promise;
    target.pods.put(podOn('a'));
    enqueued.length = 0;
    expect(await run()).toBe('PodsTerminating');
    expect([server.calls, enqueued, look().pods[0]?.inFlight]).toEqual([['evict shop/a'], [], 'eviction']);
    answer.resolve();
    expect(await run()).toBe('PodsTerminating');
    expect([server.calls, enqueued, look().pods[0]?.inFlight]).toEqual([['evict shop/a'], ['herd/m 0'], undefined]);
  });

  test('begin with one, and grow as the API server answers', async () => {
    const { run, server, target, clock, look } = benchDrain();
    const held: Array<() => void> = [];
    server.onCall = () => new Promise((resolve) => void held.push(resolve));
    for (let n = 0; n < 40; n++) target.pods.put(podOn(`p${n}`));
    const inFlight: number[] = [];
    for (let round = 0; round < 5; round++) {
      await run();
      inFlight.push(look().pods.filter((pod) => pod.inFlight).length);
      for (const end of held.splice(0)) end();
      await clock.advance(0);
    }
    expect(inFlight).toEqual([1, 2, 6, 10, 10]);
  });

  test('do not grow while it answers nothing', async () => {
    const { run, server, target, clock } = benchDrain();
    server.onCall = () => Promise.reject(apiError(503, 'ServiceUnavailable'));
    for (let n = 0; n < 5; n++) target.pods.put(podOn(`p${n}`));
    await run();
    expect(server.calls).toHaveLength(5);
    await clock.advance(19_000);
    await run();
    expect(server.calls).toHaveLength(5);
  });

  test('that hang are given up', async () => {
    const { run, server, target, clock, look } = benchDrain();
    server.onCall = () => new Promise(() => {});
    target.pods.put(podOn('a'));
    await run();
    await clock.advance(60_000);
    expect(look().pods[0]).toMatchObject({ answer: { result: 'Failed', reason: 'it took too long' } });
  });

  test('end with the Machine, and enqueue nothing', async () => {
    const { run, server, target, drains, enqueued, request } = benchDrain();
    server.onCall = () => new Promise(() => {});
    target.pods.put(podOn('a'));
    await run();
    enqueued.length = 0;
    drains.forget(request.uid);
    await Promise.resolve();
    expect([drains.known(request.uid), enqueued]).toEqual([undefined, []]);
  });
});

describe('a pod', () => {
  test('that a budget holds which nobody can see is asked again as often as by kubectl, and it is known since when', async () => {
    const { run, server, target, clock, look } = benchDrain();
    server.onCall = (call) => {
      if (call.startsWith('evict')) throw forbiddenByBudget;
    };
    target.pods.put(podOn('a'));
    expect(await run()).toBe('EvictionBlocked');
    for (let round = 0; round < 3; round++) {
      await clock.advance(4_999);
      await run();
      expect([look().pods[0]?.refusedSince, evictions(server.calls).length]).toEqual([NOW, round + 1]);
      await clock.advance(1);
      await run();
    }
    expect(evictions(server.calls)).toHaveLength(4);
  });

  test('that is leaving is never evicted again, however long it takes', async () => {
    const { run, server, target, clock } = benchDrain();
    target.pods.put(podOn('a'));
    await run();
    target.pods.put(leaving('a'));
    await clock.advance(3_600_000);
    expect(await run()).toBe('PodsTerminating');
    expect(server.calls).toEqual(['evict shop/a']);
  });

  test('of the name of one that left is another', async () => {
    const { run, server, target } = benchDrain();
    target.pods.put(podOn('a'));
    await run();
    target.pods.put({ ...podOn('a'), metadata: { ...podOn('a').metadata, uid: 'uid-new', resourceVersion: '2' } });
    await run();
    expect(server.calls).toEqual(['evict shop/a', 'evict shop/a']);
  });

  test('that is gone is forgotten', async () => {
    const { run, target, drains, request } = benchDrain();
    target.pods.put(podOn('a'));
    await run();
    target.pods.drop({ ...podOn('a'), metadata: { ...podOn('a').metadata, resourceVersion: '2' } });
    expect(await run()).toBe('pass');
    expect(drains.known(request.uid)?.pods.size).toBe(0);
  });

  test('that cannot be evicted is deleted by force at the deadline, whatever it was told', async () => {
    const { run, server, target, clock } = benchDrain({ deadline: NOW + 10_000 });
    server.onCall = (call) => {
      if (call.startsWith('evict')) throw forbiddenByBudget;
    };
    target.pods.put(podOn('a'));
    await run();
    await clock.advance(10_000);
    await run();
    expect(server.calls.at(-1)).toBe('delete shop/a uid-a 0');
  });

  test('enqueues its drain when it changes, and others do not', () => {
    const { target, enqueued, look } = benchDrain();
    look();
    target.pods.put(podOn('a'));
    target.pods.put({ ...podOn('b'), spec: { nodeName: 'other' } });
    expect(enqueued).toEqual(['herd/m 100']);
  });
});

describe('a drain is enqueued', () => {
  const later = <T extends { metadata: object }>(one: T): T => ({
    ...one,
    metadata: { ...one.metadata, resourceVersion: '9' },
  });

  test.each<[what: string, change: (target: Target) => void, woken: string[]]>([
    ['by a pod that goes', ({ pods }) => pods.drop(later(podOn('a'))), ['herd/m 100']],
    ['by a volume that comes', ({ attachments }) => attachments.put(attachment('v')), ['herd/m 100']],
    ['by one that goes', ({ attachments }) => attachments.drop(later(attachment('pv'))), ['herd/m 100']],
    ['not by one of another Node', ({ attachments }) => attachments.put(attachment('v', 'n')), []],
  ])('%s', (_what, change, expected) => {
    const { target, enqueued, look } = benchDrain();
    target.pods.put(podOn('a'));
    target.attachments.put(attachment('pv'));
    look();
    enqueued.length = 0;
    change(target);
    expect(enqueued).toEqual(expected);
  });

  test('by volumes of any Node while it follows some', () => {
    const { target, enqueued, look, drains, request } = benchDrain();
    look();
    Object.assign(drains.known(request.uid) ?? {}, { handover: { pod: {}, volumes: [], since: 0 } });
    target.attachments.put(attachment('v', 'n'));
    expect(enqueued).toEqual(['herd/m 100']);
  });

  test('by the budget that refused one of its pods, in its own cluster', async () => {
    const { target, enqueued, look, run, drains, request } = benchDrain();
    const elsewhere = { ...target, cluster: 'other', budgets: new Cache<PodDisruptionBudget>() } as unknown as Target;
    drains.follow(elsewhere);
    for (const name of ['a', 'b']) target.pods.put(podOn(name));
    await run();
    Object.assign(drains.known(request.uid)?.pods.get('uid-b') ?? {}, { budget: 'shop/b' });
    look();
    enqueued.length = 0;
    const budget = { metadata: { namespace: 'shop', name: 'b', uid: 'b', resourceVersion: '1' } };
    elsewhere.budgets.put(budget);
    expect(enqueued).toEqual([]);
    target.budgets.put(budget);
    expect(enqueued).toEqual(['herd/m 100']);
  });

  test('for the Machine that drains the Node last', () => {
    const { target, enqueued, look, drains, request } = benchDrain();
    look();
    drains.of({ ...request, uid: 'uid-other', key: 'herd/other' });
    drains.forget(request.uid);
    target.pods.put(podOn('a'));
    expect(enqueued).toEqual(['herd/other 100']);
  });
});

test('what a drain has begun ends with it, and when it begins anew', () => {
  const { drains, request, look } = benchDrain();
  look();
  const first = drains.known(request.uid);
  drains.of({ ...request, deadline: Infinity });
  const second = drains.known(request.uid);
  expect([first?.abort.signal.aborted, second?.abort.signal.aborted]).toEqual([true, false]);
  drains.forget(request.uid);
  expect(second?.abort.signal.aborted).toBe(true);
});

test('a drain that has no deadline yet knows nothing of the one before', async () => {
  const { drains, request, look } = benchDrain();
  look();
  const before = drains.known(request.uid);
  Object.assign(before ?? {}, { volumesLate: true });
  expect(look().volumesLate).toBe(true);
  expect(drains.of({ ...request, deadline: Infinity }).volumesLate).toBe(false);
});

test('the status is told of new trouble at once, and else every five seconds', async () => {
  const { look, run, server, target, clock } = benchDrain();
  server.onCall = (call) => {
    if (call.startsWith('evict')) throw forbiddenByBudget;
  };
  target.pods.put(podOn('a'));
  expect(look().reportDue).toBe(false);
  await run();
  await clock.advance(0);
  const due: boolean[] = [];
  for (let second = 0; second < 8; second++) {
    due.push(look().reportDue);
    await clock.advance(1_000);
  }
  expect(due).toEqual([false, false, false, false, false, true, false, false]);
  expect(reportOf(look())[0]?.result).toBe('Refused');
});
