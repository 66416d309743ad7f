import { describe, expect, test } from 'bun:test';
import { persistentVolumeClaims } from '../runtime/k8s/workload.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { apiError } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, leaving, podOn } from './drains.fixture.ts';
import { NOW } from './flow/view.fixture.ts';

describe('a pod is seen', () => {
  test.each<[what: string, changes: object, seen: object]>([
    ['with what it says', { spec: { priority: 7, terminationGracePeriodSeconds: 9 } }, { priority: 7, graceMs: 9_000 }],
    ['or what holds without', { spec: {} }, { priority: 0, graceMs: 30_000 }],
    ['asked by nobody', {}, { killed: false, followed: false }],
    ['leaving', { metadata: leaving('a').metadata }, { killed: false, endsAt: NOW + 30_000 }],
    [
      'deleted without grace',
      { metadata: { ...leaving('a').metadata, deletionGracePeriodSeconds: 0 } },
      { killed: true },
    ],
  ])('%s', (_what, { metadata = {}, spec = {} }: { metadata?: object; spec?: object }, seen) => {
    const { target, look } = benchDrain();
    const one = podOn('a');
    target.pods.put({ metadata: { ...one.metadata, ...metadata }, spec: { nodeName: 'm', ...spec } });
    expect(look().pods[0]).toMatchObject(seen);
  });

  test.each<[what: string, recorded: number | undefined, refused: boolean, since: number | undefined]>([
    ['never', undefined, false, undefined],
    ['by what this process heard', undefined, true, NOW],
    ['by what is on record', NOW - 20_000, false, NOW - 20_000],
    ['by the earlier of both', NOW - 20_000, true, NOW - 20_000],
    ['not before its drain', NOW - 90_000, true, NOW - 60_000],
  ])('refused %s', (_what, recorded, refused, since) => {
    const refusedSince = new Map(recorded === undefined ? [] : [['shop/a', recorded]]);
    const { target, look, drains, request, clock } = benchDrain({ refusedSince, startedAt: NOW - 60_000 });
    target.pods.put(podOn('a'));
    const memory = { retryAt: 0, deleteAt: 0, followed: false, ...(refused && { refusedSince: clock.monotonic() }) };
    drains.of(request).pods.set('uid-a', memory);
    expect(look().pods[0]?.refusedSince).toBe(since);
  });

  test('with why its volumes cannot be looked up', async () => {
    const { target, server, run, look } = benchDrain();
    target.pods.put(podOn('a', { claim: 'a' }));
    target.attachments.put(attachment('pv-a'));
    server.onCall = () => Promise.reject(apiError(500, 'InternalError'));
    await run();
    expect(look().pods[0]).toMatchObject({ lookedUp: 'failed', answer: { result: 'Failed' } });
  });
});

describe('volumes on their way', () => {
  /** A pod with two volumes that has been asked to leave. */
  async function moved({ isThere = false } = {}) {
    const bench = benchDrain();
    const { target, server, run } = bench;
    for (const name of ['a', 'b']) {
      server.put(persistentVolumeClaims, boundClaim(name));
      target.attachments.put(attachment(`pv-${name}`));
    }
    const volumes = ['a', 'b'].map((claimName) => ({ persistentVolumeClaim: { claimName } }));
    const one = { ...podOn('db'), spec: { ...podOn('db').spec, volumes } };
    target.pods.put(one);
    await run();
    const version = (metadata: object) => ({ ...metadata, resourceVersion: '9' });
    if (!isThere) target.pods.drop({ ...one, metadata: version(one.metadata) as never });
    const detach = (name: string) => {
      const there = attachment(`pv-${name}`);
      target.attachments.drop({ ...there, metadata: version(there.metadata) as never });
    };
    return { ...bench, detach };
  }

  test('are here as long as their pod is, attached or not', async () => {
    const { look, detach } = await moved({ isThere: true });
    for (const name of ['a', 'b']) detach(name);
    expect(look().handover?.here).toBeTrue();
  });

  test('are here as long as one of them is, and elsewhere once all are', async () => {
    const { look, detach, target } = await moved();
    const seen = () => [look().handover?.here, look().handover?.elsewhere];
    expect(seen()).toEqual([true, false]);
    detach('a');
    target.attachments.put(attachment('pv-a', 'n'));
    expect(seen()).toEqual([true, false]);
    detach('b');
    expect(seen()).toEqual([false, false]);
    target.attachments.put(attachment('pv-b', 'n'));
    expect(seen()).toEqual([false, true]);
  });
});

test('where attachments cannot be listed nothing is said of them, and no claim looked up', () => {
  const { target, look } = benchDrain();
  Object.assign(target, { attachments: new Cache({ indexes: { node: () => [], volume: () => [] } }) });
  target.pods.put(podOn('a', { claim: 'a' }));
  const { attachments, lookUp, strays, pods } = look();
  expect([attachments, lookUp, strays, pods[0]?.lookedUp]).toEqual([undefined, [], undefined, 'known']);
});

test('the pods are not known before they are listed, however well the rules are', () => {
  const { target, look } = benchDrain();
  Object.assign(target, { pods: new Cache({ indexes: { node: () => [] } }) });
  const { podsKnown, rulesUnknown } = look();
  expect([podsKnown, rulesUnknown]).toEqual([false, undefined]);
});

test('a call that failed makes no room for others: nobody has answered yet', async () => {
  const { target, server, run, look } = benchDrain();
  for (const name of ['a', 'b', 'c']) target.pods.put(podOn(name));
  server.onCall = () => Promise.reject(apiError(500, 'InternalError'));
  await run();
  expect(look().room.eviction.first).toBe(1);
});

test('it is remembered for how long the pods were not known, all in all', async () => {
  const { look, drains, request, clock } = benchDrain();
  expect(drains.blindMs(request.uid)).toBe(0);
  for (const ms of [5_000, 2_000]) {
    look();
    await clock.advance(60_000);
    request.rules = { at: 'unknown' };
    look();
    await clock.advance(ms / 2);
    look();
    await clock.advance(ms / 2);
    request.rules = { at: 'known', rules: [] };
    look();
  }
  expect(drains.blindMs(request.uid)).toBe(7_000);
});
