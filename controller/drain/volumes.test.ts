import { describe, expect, test } from 'bun:test';
import { persistentVolumeClaims, persistentVolumes } from '../runtime/k8s/workload.ts';
import { apiError } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, leaving, podOn } from './drains.fixture.ts';

const SKIP = { name: 'a', behavior: 'Skip', order: 0 } as const;
const evictions = (calls: string[]) => calls.filter((call) => call.startsWith('evict'));

describe('pods with volumes (hack/spec/mcm.md 7.4, hack/spec/mcm.md 13.10)', () => {
  /** Two pods, the volume of each attached here. */
  function shop(changes: Parameters<typeof benchDrain>[0] = {}) {
    const bench = benchDrain(changes);
    for (const name of ['a', 'b']) {
      bench.server.put(persistentVolumeClaims, boundClaim(name));
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
    expect(await run()).toBe('WaitingForVolumes');
    expect(evictions(server.calls)).toEqual(['evict shop/b']);
    gone('b', '2');
    expect(await run()).toBe('WaitingForVolumes');
    detach('pv-b');
    expect(await run()).toBe('WaitingForVolumes');
    target.attachments.put(attachment('pv-b', 'elsewhere', false));
    expect(await run()).toBe('WaitingForVolumes');
    expect(evictions(server.calls)).toHaveLength(1);
    target.attachments.put({
      ...attachment('pv-b', 'elsewhere'),
      metadata: { ...attachment('pv-b', 'elsewhere').metadata, resourceVersion: '10' },
    });
    expect(await run()).toBe('WaitingForVolumes');
    expect(evictions(server.calls)).toEqual(['evict shop/b', 'evict shop/a']);
  });

  test('whose volume is attached elsewhere as well are followed all the same', async () => {
    const { run, target, look, server } = shop();
    target.attachments.put(attachment('pv-b', 'elsewhere'));
    expect([await run(), look().handover?.pod]).toEqual(['WaitingForVolumes', 'shop/b']);
    expect(evictions(server.calls)).toEqual(['evict shop/b']);
  });

  test('that are deleted by force are not followed', async () => {
    const { run, request, look, clock, server } = shop();
    await run();
    request.deadline = clock.now();
    await run();
    expect([look().handover?.pod, server.calls.filter((call) => call.startsWith('delete')).length]).toEqual([
      'shop/b',
      2,
    ]);
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

  // hack/decisions/0051 L39
  test('leave together where nobody is to wait for volumes, also once one has been waited for', async () => {
    const { run, server, request, look, gone } = shop();
    await run();
    gone('b', '2');
    expect([await run(), evictions(server.calls)]).toEqual(['WaitingForVolumes', ['evict shop/b']]);
    request.volumesUnawaited = true;
    expect([await run(), evictions(server.calls)]).toEqual(['PodsTerminating', ['evict shop/b', 'evict shop/a']]);
    gone('a', '2');
    expect([await run(), look().volumesLate]).toEqual(['pass', false]);
    const other = shop({ volumesUnawaited: true });
    other.server.onCall = (call) => {
      if (call.startsWith('get')) throw apiError(500, 'InternalError');
    };
    await other.run();
    expect(evictions(other.server.calls)).toEqual(['evict shop/a', 'evict shop/b']);
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

  // hack/decisions/0051 L30
  test('whose volumes are on their way in an outage have their whole time after it', async () => {
    const { run, clock, look, server, request, gone, detach } = shop({ deadline: Infinity });
    await run();
    gone('b', '2');
    await run();
    await clock.advance(3_600_000);
    request.clocksFrom = clock.now() - 1;
    await run();
    await clock.advance(149_998);
    await run();
    expect([look().volumesLate, evictions(server.calls)]).toEqual([false, ['evict shop/b']]);
    detach('pv-b');
    await run();
    await clock.advance(3_600_000);
    request.clocksFrom = clock.now();
    await clock.advance(89_999);
    await run();
    expect([look().volumesLate, evictions(server.calls)]).toEqual([false, ['evict shop/b']]);
    await clock.advance(1);
    await run();
    expect([look().volumesLate, evictions(server.calls).at(-1)]).toEqual([false, 'evict shop/a']);
  });

  test('whose volumes the driver does not know are not waited for', async () => {
    const { run, server } = shop({ getVolumeIDs: async () => [] });
    await run();
    expect(evictions(server.calls)).toEqual(['evict shop/b', 'evict shop/a']);
  });

  test('nor where the volume is gone, or may not be read, so that the driver cannot be asked', async () => {
    for (const status of [404, 403]) {
      const { run, server } = shop({ getVolumeIDs: async () => ['id'] });
      server.onCall = (call) => {
        if (call.startsWith('get persistentvolumes ')) throw apiError(status, 'No');
      };
      await run();
      expect(evictions(server.calls)).toEqual(['evict shop/b', 'evict shop/a']);
    }
  });

  test('while it cannot be read for now the pod stays', async () => {
    const { run, server, clock } = shop({ getVolumeIDs: async () => ['id'] });
    server.onCall = (call) => {
      if (call.startsWith('get persistentvolumes ')) throw apiError(500, 'InternalError');
    };
    await run();
    expect(evictions(server.calls)).toEqual([]);
    server.onCall = () => {};
    await clock.advance(60_000);
    await run();
    expect(evictions(server.calls)).toEqual(['evict shop/b']);
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

  // hack/decisions/0028 T87: a target says how many there are, and how long they are
  test('and many are not each looked for in each entry of the Node’s own list', async () => {
    const MANY = 100;
    let reads = 0;
    const entry = (at: number) => ({
      get name() {
        reads += 1;
        return `kubernetes.io/csi/x^other-${at}`;
      },
    });
    const { run, server, target, look } = benchDrain({
      getVolumeIDs: async ({ volumes }) => volumes.map(({ csi }) => (csi as { volumeHandle: string }).volumeHandle),
    });
    const names = Array.from({ length: MANY }, (_, at) => `c${at}`);
    for (const name of names) {
      server.put(persistentVolumeClaims, boundClaim(name));
      const spec = { csi: { volumeHandle: `vol-${name}` } };
      server.put(persistentVolumes, { metadata: { name: `pv-${name}` }, spec } as never);
      target.attachments.put(attachment(`pv-${name}`));
    }
    const pod = podOn('a');
    const volumes = names.map((claimName) => ({ persistentVolumeClaim: { claimName } }));
    target.pods.put({ ...pod, spec: { ...pod.spec, volumes } });
    target.nodes.put({
      metadata: { name: 'm', resourceVersion: '1' },
      status: { volumesAttached: Array.from({ length: MANY }, (_, at) => entry(at)) },
    });
    await run();
    target.pods.drop({ ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } });
    for (const name of names) {
      const { metadata, ...rest } = attachment(`pv-${name}`);
      target.attachments.drop({ metadata: { ...metadata, resourceVersion: '9' }, ...rest });
    }
    reads = 0;
    expect(look().handover?.pod).toBe('shop/a');
    expect(reads).toBeWithin(1, 10 * MANY);
  });

  test.each([400, 403, 422])('a claim that may not be read (%p) is not waited for', async (status) => {
    const { run, server } = shop();
    server.onCall = (call) => {
      if (call.startsWith('get persistentvolumeclaims')) throw apiError(status, 'No');
    };
    await run();
    expect(evictions(server.calls)).toHaveLength(2);
  });

  test('a claim that is gone has no volume, and is not waited for', async () => {
    const { run, server, detach } = shop();
    server.objects.clear();
    for (const name of ['a', 'b']) detach(`pv-${name}`);
    await run();
    expect(evictions(server.calls)).toHaveLength(2);
  });

  // hack/decisions/0028 T40
  test('a claim that was bound to none is asked for again, and its volume followed then', async () => {
    const { run, server, clock, look } = shop({ rules: { at: 'known', rules: [SKIP] } });
    const claim = { metadata: { namespace: 'shop', name: 'a' }, spec: { volumeName: 'pv-a' } };
    server.put(persistentVolumeClaims, { ...claim, status: { phase: 'Pending' } } as never);
    await run();
    expect(look().attachments).toMatchObject([{ used: false }, { used: true }]);
    server.put(persistentVolumeClaims, { ...claim, status: { phase: 'Bound' } } as never);
    await clock.advance(60_000);
    expect(await run()).toBe('pass');
    expect(look().attachments).toMatchObject([{ used: true }, { used: true }]);
    const asked = server.calls.filter((call) => call === 'get persistentvolumeclaims shop/a');
    await clock.advance(120_000);
    await run();
    expect([asked.length, server.calls.filter((call) => call.startsWith('get persistentvolumeclaims')).length]).toEqual(
      [2, 3],
    );
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
