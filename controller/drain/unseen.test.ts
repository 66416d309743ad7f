import { describe, expect, test } from 'bun:test';
import { node } from '../../test/fixtures/objects.ts';
import type { Target } from '../model/target.ts';
import type { ListOptions } from '../runtime/client/api.ts';
import { pods as podResource } from '../runtime/k8s/workload.ts';
import { apiError } from './calls.fake.ts';
import { benchDrain, leaving, podOn } from './drains.fixture.ts';
import { observeDrain } from './observe.ts';
import { listUnseen } from './unseen.ts';

// hack/decisions/0051 L40: a drain ended by what a watch had shown that lagged behind

/** A Node on which the pod `a` runs, as its API server knows. */
function lagging() {
  const bench = benchDrain();
  const { server, target } = bench;
  server.put(podResource, podOn('a'));
  server.onCall = (call) => {
    if (call.startsWith('evict')) server.objects.delete('pods shop/a');
  };
  const lists = () => server.calls.filter((call) => call.startsWith('list')).length;
  const show = () => target.pods.put(podOn('a'));
  const drop = () => target.pods.drop({ ...podOn('a'), metadata: { ...podOn('a').metadata, resourceVersion: '9' } });
  let version = 1;
  const cordon = (unschedulable: boolean) => {
    const { metadata, ...rest } = node({ spec: { unschedulable } });
    target.nodes.put({ ...rest, metadata: { ...metadata, name: 'm', resourceVersion: `${++version}` } });
  };
  return { ...bench, lists, show, drop, cordon };
}

describe('a pod that the watch has not shown', () => {
  test('keeps the drain until it was evicted and is gone', async () => {
    const { run, clock, show, drop, server } = lagging();
    expect(await run()).toBe('PodCacheStale');
    await clock.advance(600_000);
    expect(await run()).toBe('PodCacheStale');
    show();
    expect([await run(), server.calls.includes('evict shop/a')]).toEqual(['PodsTerminating', true]);
    drop();
    expect(await run()).toBe('GetPods');
    await clock.advance(5_000);
    expect(await run()).toBe('pass');
  });

  test('is asked about every five seconds, and the drain looks as soon as there is an answer', async () => {
    const { run, clock, lists, server, enqueued } = lagging();
    await run();
    expect([lists(), enqueued]).toEqual([1, ['herd/m 0']]);
    await clock.advance(4_999);
    await run();
    expect(lists()).toBe(1);
    await clock.advance(1);
    await run();
    expect(lists()).toBe(2);
    server.objects.clear();
    await clock.advance(5_000);
    expect([await run(), lists()]).toEqual(['pass', 3]);
  });

  test.each([
    ['a mirror pod', { annotations: { 'kubernetes.io/config.mirror': 'x' } }],
    [
      'one of a DaemonSet',
      { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }] },
    ],
    ['one that was deleted without grace', { ...leaving('a').metadata, deletionGracePeriodSeconds: 0 }],
  ])('does not matter if it is %s', async (_what, metadata) => {
    const { run, server } = lagging();
    server.put(podResource, { ...podOn('a'), metadata: { ...podOn('a').metadata, ...metadata } });
    expect(await run()).toBe('pass');
  });

  test.each(['Succeeded', 'Failed'])('does not matter if it has %s (hack/decisions/0028 T72)', async (phase) => {
    const { run, server } = lagging();
    server.put(podResource, { ...podOn('a'), status: { phase } } as never);
    expect(await run()).toBe('pass');
  });

  test('is no other that had its name and is shown still', async () => {
    const { server, target, clock } = lagging();
    target.pods.put({ ...podOn('a'), metadata: { ...podOn('a').metadata, uid: 'before' } });
    const unseen = listUnseen({ target, nodeName: 'm' }, new AbortController().signal);
    await clock.advance(0);
    expect([await unseen, server.calls]).toEqual([{ count: 1, some: ['shop/a'] }, ['list pods undefined']]);
  });
});

describe('what a list has said counts no more', () => {
  test('once the cache shows a pod', async () => {
    const { run, show, drop, server, clock, lists } = lagging();
    server.objects.clear();
    expect([await run(), lists()]).toEqual(['pass', 1]);
    show();
    await run();
    drop();
    await clock.advance(5_000);
    expect([await run(), lists()]).toEqual(['pass', 2]);
  });

  test('once the Node was uncordoned', async () => {
    const { run, cordon, server, look, clock, lists } = lagging();
    server.objects.clear();
    cordon(true);
    expect([await run(), lists()]).toEqual(['pass', 1]);
    cordon(false);
    look();
    server.put(podResource, podOn('a'));
    cordon(true);
    await clock.advance(5_000);
    expect([await run(), lists()]).toEqual(['PodCacheStale', 2]);
  });

  test('but for as long as the cordon was never taken', async () => {
    const { run, cordon, server, lists } = lagging();
    server.objects.clear();
    cordon(false);
    expect([await run(), await run(), lists()]).toEqual(['pass', 'pass', 1]);
  });
});

describe('a list that fails', () => {
  const refusing = () => {
    const bench = lagging();
    bench.server.onCall = () => Promise.reject(apiError(403, 'Forbidden'));
    return bench;
  };

  test('is asked for again, and holds the drain for 150 s', async () => {
    const { run, clock, lists } = refusing();
    for (let seconds = 0; seconds < 150; seconds += 5) {
      expect(await run()).toBe('GetPods');
      await clock.advance(5_000);
    }
    expect([await run(), lists()]).toEqual(['pass', 8]);
  });

  test('or for as long after an outage', async () => {
    const { run, clock, request, drains } = refusing();
    await run();
    await clock.advance(150_000);
    const held = { ...request, clocksFrom: clock.now() };
    expect(observeDrain({ drains, clock }, held).listed.since).toBe(clock.now());
  });

  test('is dropped with its drain', async () => {
    const { drains, request, run, server, enqueued, clock } = lagging();
    server.onCall = () => new Promise(() => {});
    expect(await run()).toBe('GetPods');
    drains.forget(request.uid);
    await clock.advance(60_000);
    expect(enqueued).toEqual([]);
  });
});

/** A consistent read: not what the server's own cache has at hand (hack/decisions/0012). */
test('it is the latest list, of this Node alone, in one piece, and little is kept of it', async () => {
  const asked: ListOptions[] = [];
  const list = async (_: unknown, options: ListOptions) => {
    asked.push(options);
    const items = Array.from({ length: 1_000 }, (_, at) => podOn(`${at}-${'x'.repeat(400)}`));
    return { items, resourceVersion: '1' };
  };
  const target = { ...benchDrain().target, api: { list } } as unknown as Target;
  const unseen = await listUnseen({ target, nodeName: 'm' }, new AbortController().signal);
  const fieldSelector = 'spec.nodeName=m,status.phase!=Succeeded,status.phase!=Failed';
  expect(asked).toMatchObject([{ fieldSelector, pageSize: 0, most: { objects: 5_000 } }]);
  expect(asked[0]).not.toHaveProperty('resourceVersion');
  expect([unseen.count, unseen.some.map(({ length }) => length)]).toEqual([1_000, [317, 317, 317]]);
});
