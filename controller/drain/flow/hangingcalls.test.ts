import { describe, expect, test } from 'bun:test';
import { persistentVolumeClaims, persistentVolumes } from '../../runtime/k8s/workload.ts';
import { attachment, benchDrain, boundClaim, podOn } from '../drains.fixture.ts';
import { FORCED_MS } from './plan.ts';
import { NOW } from './view.fixture.ts';

// hack/decisions/0051 L5: a call that hangs held up pods, and what was to be done by force

const hanging = () => new Promise<never>(() => {});

describe('while the API server does not answer evictions', () => {
  /** Pods whose evictions hang; deletions are answered. */
  function stuck(count: number) {
    const bench = benchDrain();
    const { server, target, request, clock, run } = bench;
    for (let n = 0; n < count; n++) target.pods.put(podOn(`p${n}`));
    server.onCall = (call) => (call.startsWith('evict') ? hanging() : undefined);
    const force = () => {
      request.deadline = clock.now();
      return run();
    };
    const deleted = () => server.calls.filter((call) => call.startsWith('delete')).length;
    return { ...bench, force, deleted };
  }

  test('force deletes the pods at once', async () => {
    const { run, force, deleted, look } = stuck(3);
    await run();
    expect(look().pods.map(({ inFlight }) => inFlight)).toEqual(['eviction', undefined, undefined]);
    await force();
    expect(deleted()).toBe(3);
  });

  test('as many at once as a Node may have in flight', async () => {
    const { run, force, deleted, server } = stuck(20);
    await run();
    server.onCall = hanging;
    await force();
    expect(deleted()).toBe(10);
  });

  test('an answer that comes after all changes nothing', async () => {
    const { run, force, server, target, look, clock } = stuck(1);
    const late = Promise.withResolvers<void>();
    server.onCall = (call) => (call.startsWith('evict') ? late.promise : hanging());
    await run();
    await force();
    late.resolve();
    await clock.advance(1_000);
    expect([look().pods[0]?.inFlight, target.pods.by('node', 'm').length]).toEqual(['deletion', 1]);
  });
});

describe('while the driver does not say which volumes are its own', () => {
  /** A pod with a volume, and a driver that hangs. */
  function asking(getVolumeIDs: () => Promise<string[]>) {
    const bench = benchDrain({ getVolumeIDs });
    const { server, target } = bench;
    target.pods.put(podOn('db', { claim: 'db' }));
    server.put(persistentVolumeClaims, boundClaim('db'));
    server.put(persistentVolumes, { metadata: { name: 'pv-db' }, spec: {} } as never);
    target.attachments.put(attachment('pv-db'));
    const evicted = () => server.calls.filter((call) => call.startsWith('evict'));
    return { ...bench, evicted };
  }

  test('the pod leaves after a while, and its volume is followed by its name', async () => {
    const { run, clock, evicted } = asking(hanging);
    await run();
    await clock.advance(9_999);
    await run();
    expect(evicted()).toEqual([]);
    await clock.advance(1);
    expect(await run()).toBe('WaitingForVolumes');
    expect(evicted()).toEqual(['evict shop/db']);
  });

  test('so it is if the driver fails', async () => {
    const { run, evicted } = asking(() => Promise.reject(new Error('no idea')));
    expect(await run()).toBe('WaitingForVolumes');
    expect(evicted()).toEqual(['evict shop/db']);
  });

  test('force waits for nothing of the kind', async () => {
    const { run, request, clock, server } = asking(hanging);
    await run();
    request.deadline = clock.now();
    await run();
    expect(server.calls.at(-1)).toBe('delete shop/db uid-db 0');
    expect(clock.now()).toBeLessThan(NOW + FORCED_MS);
  });
});
