import { describe, expect, test } from 'bun:test';
import { persistentVolumeClaims, persistentVolumes } from '../runtime/workload.ts';
import { apiError, forbiddenByBudget } from './calls.fake.ts';
import { attachment, benchDrain, podOn } from './drains.fixture.ts';
import { reportOf } from './report.ts';
import { NOW } from './view.fixture.ts';

const leaving = (name: string) => {
  const pod = podOn(name);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: new Date(NOW + 30_000).toISOString(),
      deletionGracePeriodSeconds: 30,
    },
  };
};
const evictions = (calls: string[]) => calls.filter((call) => call.startsWith('evict'));

describe('calls of a drain', () => {
  test('are started and not awaited; each wakes the key when it ends', async () => {
    const { run, server, target, woken, look } = benchDrain();
    const answer = Promise.withResolvers<void>();
    server.onCall = () => answer.promise;
    target.pods.put(podOn('a'));
    woken.length = 0;
    expect(await run()).toBe('PodsLeaving');
    expect([server.calls, woken, look().pods[0]?.flying]).toEqual([['evict shop/a'], [], true]);
    answer.resolve();
    expect(await run()).toBe('PodsLeaving');
    expect([server.calls, woken, look().pods[0]?.flying]).toEqual([['evict shop/a'], ['herd/m 0'], false]);
  });

  test('begin with one, and grow as the API server answers', async () => {
    const { run, server, target, clock, look } = benchDrain();
    const held: Array<() => void> = [];
    server.onCall = () => new Promise((resolve) => void held.push(resolve));
    for (let n = 0; n < 40; n++) target.pods.put(podOn(`p${n}`));
    const flying: number[] = [];
    for (let round = 0; round < 5; round++) {
      await run();
      flying.push(look().pods.filter((pod) => pod.flying).length);
      for (const end of held.splice(0)) end();
      await clock.advance(0);
    }
    expect(flying).toEqual([1, 2, 6, 16, 15]);
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
    await clock.advance(90_000);
    expect(look().pods[0]).toMatchObject({ flying: false, answer: { result: 'Failed', reason: 'it took too long' } });
  });

  test('end with the Machine, and wake nobody', async () => {
    const { run, server, target, drains, woken, request } = benchDrain();
    server.onCall = () => new Promise(() => {});
    target.pods.put(podOn('a'));
    await run();
    woken.length = 0;
    drains.forget(request.uid);
    await Promise.resolve();
    expect([drains.known(request.uid), woken]).toEqual([undefined, []]);
  });
});

describe('a pod', () => {
  test('that a budget holds is asked again every 20 seconds, and counted', async () => {
    const { run, server, target, clock, look } = benchDrain();
    server.onCall = (call) => {
      if (call.startsWith('evict')) throw forbiddenByBudget;
    };
    target.pods.put(podOn('a'));
    expect(await run()).toBe('EvictionRefused');
    for (let round = 0; round < 3; round++) {
      await clock.advance(19_999);
      await run();
      expect(look().pods[0]?.refusals).toBe(round + 1);
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
    expect(await run()).toBe('PodsLeaving');
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

  test('wakes its drain when it changes, and no other does', () => {
    const { target, woken, look } = benchDrain();
    look();
    target.pods.put(podOn('a'));
    target.pods.put({ ...podOn('b'), spec: { nodeName: 'other' } });
    expect(woken).toEqual(['herd/m 100']);
  });
});

describe('pods with volumes (MCM 7.4)', () => {
  /** Two pods, the volume of each attached here. */
  function shop(changes: Parameters<typeof benchDrain>[0] = {}) {
    const bench = benchDrain(changes);
    for (const name of ['a', 'b']) {
      bench.server.put(persistentVolumeClaims, {
        metadata: { namespace: 'shop', name },
        spec: { volumeName: `pv-${name}` },
      } as never);
      bench.server.put(persistentVolumes, {
        metadata: { name: `pv-${name}` },
        spec: { csi: { volumeHandle: `vol-${name}` } },
      } as never);
      bench.target.pods.put(podOn(name, { claim: name, priority: name === 'b' ? 9 : 0 }));
      bench.target.attachments.put(attachment(`pv-${name}`));
    }
    const gone = (name: string, version: string) => {
      const pod = podOn(name);
      bench.target.pods.drop({ ...pod, metadata: { ...pod.metadata, resourceVersion: version } });
    };
    const detach = (volume: string) =>
      bench.target.attachments.drop({
        ...attachment(volume),
        metadata: { ...attachment(volume).metadata, resourceVersion: '9' },
      });
    return { ...bench, gone, detach };
  }

  test('go one after the other: pod, detachment, attachment elsewhere', async () => {
    const { run, server, target, gone, detach } = shop();
    expect(await run()).toBe('VolumesMoving');
    expect(evictions(server.calls)).toEqual(['evict shop/b']);
    gone('b', '2');
    expect(await run()).toBe('VolumesMoving');
    detach('pv-b');
    expect(await run()).toBe('VolumesMoving');
    target.attachments.put(attachment('pv-b', 'elsewhere', false));
    expect(await run()).toBe('VolumesMoving');
    expect(evictions(server.calls)).toHaveLength(1);
    target.attachments.put({
      ...attachment('pv-b', 'elsewhere'),
      metadata: { ...attachment('pv-b', 'elsewhere').metadata, resourceVersion: '10' },
    });
    expect(await run()).toBe('VolumesMoving');
    expect(evictions(server.calls)).toEqual(['evict shop/b', 'evict shop/a']);
  });

  test('whose volumes nobody takes wait no longer than told', async () => {
    const { run, server, clock, gone, detach } = shop();
    await run();
    gone('b', '2');
    detach('pv-b');
    await run();
    await clock.advance(89_999);
    await run();
    expect(evictions(server.calls)).toHaveLength(1);
    await clock.advance(1);
    await run();
    expect(evictions(server.calls)).toHaveLength(2);
  });

  test('whose volumes do not come off are given up, and the drain remembers', async () => {
    const { run, clock, look, server, target } = shop();
    await run();
    const { metadata } = leaving('b');
    target.pods.put({ ...podOn('b', { claim: 'b', priority: 9 }), metadata });
    await clock.advance(149_999);
    await run();
    expect([look().volumesLate, evictions(server.calls)]).toEqual([false, ['evict shop/b']]);
    await clock.advance(1);
    await run();
    expect([look().volumesLate, evictions(server.calls).at(-1)]).toEqual([true, 'evict shop/a']);
  });

  test('whose volumes the driver does not know are not waited for', async () => {
    const { run, server } = shop({ getVolumeIDs: async () => [] });
    await run();
    expect(evictions(server.calls)).toEqual(['evict shop/b', 'evict shop/a']);
  });

  test('nor those of which it cannot tell', async () => {
    const { run, server } = shop({ getVolumeIDs: () => Promise.reject(new Error('no idea')) });
    await run();
    expect(evictions(server.calls)).toHaveLength(2);
  });

  test('the driver’s ids are found in the Node’s own list, too', async () => {
    const { run, target, gone, detach, look } = shop({
      getVolumeIDs: async ({ volumes }) => volumes.map(({ csi }) => (csi as { volumeHandle: string }).volumeHandle),
    });
    target.nodes.put({
      metadata: { name: 'm', resourceVersion: '1' },
      status: { volumesAttached: [{ name: 'kubernetes.io/csi/x^vol-b' }] },
    });
    await run();
    gone('b', '2');
    detach('pv-b');
    await run();
    expect(look().handover?.here).toBe(true);
    target.nodes.put({ metadata: { name: 'm', resourceVersion: '2' }, status: {} });
    expect(look().handover?.here).toBe(false);
  });

  test('a claim that is gone, or may not be read, is not waited for', async () => {
    const { run, server } = shop();
    server.objects.clear();
    await run();
    expect(evictions(server.calls)).toHaveLength(2);
  });

  test('an API server that is not well is asked again before the pod is evicted', async () => {
    const { run, server, clock } = shop();
    server.onCall = (call) => {
      if (call === 'get persistentvolumeclaims shop/b') throw apiError(500, 'InternalError');
    };
    await run();
    expect(evictions(server.calls)).toEqual(['evict shop/a']);
    server.onCall = () => {};
    await clock.advance(170_000);
    await run();
    expect(evictions(server.calls)).toEqual(['evict shop/a', 'evict shop/b']);
  });

  test('a volume that two pods share is not waited for', async () => {
    const { run, server, target } = shop();
    target.pods.put({ ...podOn('c', { claim: 'b' }), spec: { ...podOn('c', { claim: 'b' }).spec, priority: -1 } });
    await run();
    expect(evictions(server.calls)).toEqual(['evict shop/b', 'evict shop/a']);
  });
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
