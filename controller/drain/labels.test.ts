import { describe, expect, test } from 'bun:test';
import type { Target } from '../model/target.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { namespaces } from '../runtime/k8s/core.ts';
import { pods as podResource } from '../runtime/k8s/workload.ts';
import { CacheRoom } from '../runtime/memory/cacheroom.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { podIndexes } from '../targets/pods.ts';
import { apiError, FakeApi } from './calls.fake.ts';
import { podOn } from './drains.fixture.ts';
import { NOW } from './flow/view.fixture.ts';
import { TargetLabels } from './labels.ts';

const KEYS = new Set(['app', 'team']);
const POD = { uid: 'uid-web', version: '1' };

/** A target with the pod `shop/web`, and drains of its Nodes. */
function bench({ room: bytes = 1 << 20, team = 'blue' }: { room?: number; team?: string } = {}) {
  const clock = new FakeClock(NOW);
  const server = new FakeApi();
  const rooms = new CacheRoom({ all: bytes, each: bytes, shared: false });
  const pods = new Cache({ indexes: podIndexes });
  const target = { api: server.api, room: rooms.open('herd'), pods } as unknown as Target;
  server.put(namespaces, { metadata: { name: 'shop', labels: { team } } });
  const pod = podOn('web');
  server.put(podResource, { ...pod, metadata: { ...pod.metadata, labels: { app: 'web' } } });
  const all = new TargetLabels({ clock, random: { next: () => 0.5 } });
  const open = (nodeName = 'm') => {
    const enqueued: string[] = [];
    const labels = all.open({ target, nodeName }, () => enqueued.push(nodeName));
    labels.read(KEYS);
    return { labels, enqueued };
  };
  const read = { pods: [POD], namespaces: ['shop'] };
  const lookUp = async (labels: ReturnType<typeof open>['labels']) => {
    const due = labels.due(read);
    if (due) labels.lookUp(due);
    await clock.advance(0);
  };
  const asked = (what: string) => server.calls.filter((call) => call.startsWith(what)).length;
  return { clock, server, rooms, target, all, open, lookUp, asked, read };
}

// hack/decisions/0028 T42: labels that drains looked up were counted nowhere
describe('labels of a drain', () => {
  test('are counted where the target is, until the drain is over', async () => {
    const { open, lookUp, rooms } = bench();
    const { labels } = open();
    await lookUp(labels);
    expect(labels.ofPod(POD.uid)).toEqual({ app: 'web' });
    expect(rooms.taken).toBeGreaterThan(1_000);
    await lookUp(labels);
    labels.close();
    expect(rooms.taken).toBe(0);
  });

  test('of namespaces are looked up and kept once for all drains of a target, until the last one is over', async () => {
    const { open, lookUp, asked, rooms } = bench();
    const [one, other] = [open('m'), open('n')];
    await lookUp(one.labels);
    await lookUp(other.labels);
    await lookUp(other.labels);
    expect([asked('get namespaces'), other.enqueued.length > 0]).toEqual([1, true]);
    expect(other.labels.ofNamespace('shop')).toEqual({ team: 'blue', 'kubernetes.io/metadata.name': 'shop' });
    one.labels.close();
    expect(other.labels.ofNamespace('shop')).toBeDefined();
    other.labels.close();
    expect([open().labels.ofNamespace('shop'), rooms.taken]).toEqual([undefined, 0]);
  });

  test('for which there is no room hold the drain, which says so', async () => {
    const { open, lookUp, rooms } = bench({ room: 1 << 9 });
    const { labels } = open();
    await lookUp(labels);
    expect(labels.failure({ pods: true, namespaces: [] })).toContain('there is no room for them');
    expect(labels.failure({ pods: false, namespaces: ['shop'] })).toContain('there is no room for them');
    expect(rooms.taken).toBe(0);
  });

  test('of a namespace that has too many are those alone that drains read', async () => {
    const { open, lookUp, server } = bench();
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, 'x'.repeat(60)]));
    server.put(namespaces, { metadata: { name: 'shop', labels: { ...many, team: 'blue' } } });
    const { labels } = open();
    await lookUp(labels);
    expect(labels.ofNamespace('shop')).toEqual({ team: 'blue', 'kubernetes.io/metadata.name': 'shop' });
    labels.read(new Set(Object.keys(many)));
    expect(labels.ofNamespace('shop')).toBeUndefined();
  });

  test('of another target, in the place of that of before, are not known', async () => {
    const { open, lookUp, target, rooms } = bench();
    const { labels } = open();
    await lookUp(labels);
    const again = labels.at({ target: { ...target }, nodeName: 'm' });
    expect([again.ofPod(POD.uid), again.ofNamespace('shop'), rooms.taken]).toEqual([undefined, undefined, 0]);
  });
});

// hack/decisions/0028 T43: each write of a rule began all look-ups anew, beside those under way
describe('where other keys are read', () => {
  test('what is known stays if these were read before', async () => {
    const { open, lookUp, asked } = bench();
    const { labels } = open();
    await lookUp(labels);
    labels.read(new Set());
    labels.read(new Set(['app']));
    await lookUp(labels);
    expect([labels.ofPod(POD.uid), asked('list')]).toEqual([{ app: 'web' }, 1]);
  });

  test('a list that is under way is given up, and the next one no sooner than any', async () => {
    const { open, lookUp, asked, server, clock, rooms } = bench();
    const { labels } = open();
    server.onCall = async (call) => {
      if (call.startsWith('list')) await clock.sleep(60_000);
    };
    for (let at = 0; at < 100; at++) {
      labels.read(new Set([`k${at}`]));
      await lookUp(labels);
      await clock.advance(20);
    }
    expect(asked('list')).toBe(1);
    expect(asked('get namespaces')).toBe(1);
    server.onCall = () => {};
    await clock.advance(2_000);
    labels.read(KEYS);
    await lookUp(labels);
    expect([labels.ofPod(POD.uid), asked('list')]).toEqual([{ app: 'web' }, 2]);
    const taken = rooms.taken;
    await clock.advance(60_000);
    expect(rooms.taken).toBe(taken);
  });

  test('a failure is tried again later, whatever is read', async () => {
    const { open, lookUp, asked, server, clock } = bench();
    const { labels } = open();
    server.onCall = () => {
      throw apiError(500, 'InternalError');
    };
    for (let at = 0; at < 20; at++) {
      await lookUp(labels);
      await clock.advance(100);
    }
    expect(asked('list')).toBe(1);
  });
});

// hack/decisions/0028 T72: else a Node with thousands of evicted pods would have more than are listed, and no rule could be held against one
test.each([
  ['of a Node with a crowd of pods those that have ended are not listed', 1_001, false],
  ['else all are', 1_000, true],
])('%s', async (_what, count, isKnown) => {
  const { open, lookUp, target, server } = bench();
  const ended = (name: string) => ({ ...podOn(name), status: { phase: 'Failed' } });
  target.pods.reset(
    Array.from({ length: count }, (_, at) => ended(`p-${at}`)),
    '1',
  );
  server.put(podResource, ended('p-0'));
  const { labels } = open();
  await lookUp(labels);
  expect([labels.ofPod('uid-p-0') !== undefined, labels.ofPod(POD.uid)]).toEqual([isKnown, { app: 'web' }]);
});
