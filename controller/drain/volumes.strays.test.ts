import { describe, expect, test } from 'bun:test';
import { type Pod, persistentVolumeClaims, persistentVolumes } from '../runtime/k8s/workload.ts';
import { apiError } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, podOn } from './drains.fixture.ts';

// hack/decisions/0051 L3: what a drain remembers of volumes on their way goes with the process

/** The drain of a Node on which the pods `a` and `b` run, the volume of each attached. */
function shop(changes: Parameters<typeof benchDrain>[0] = {}) {
  const bench = benchDrain(changes);
  const { server, target } = bench;
  for (const name of ['a', 'b']) {
    server.put(persistentVolumeClaims, boundClaim(name));
    target.pods.put(podOn(name, { claim: name }));
    target.attachments.put(attachment(`pv-${name}`));
  }
  const gone = (name: string) => {
    const { metadata } = podOn(name);
    target.pods.drop({ ...podOn(name), metadata: { ...metadata, resourceVersion: '9' } });
  };
  const detach = (volume: string) => {
    const one = attachment(volume);
    target.attachments.drop({ ...one, metadata: { ...one.metadata, resourceVersion: '9' } });
  };
  const asked = () => server.calls.filter((call) => call.startsWith('evict'));
  return { ...bench, gone, detach, asked };
}

describe('the volume of a pod that left, after a restart', () => {
  test('holds the next pod with volumes until it is gone from the Node', async () => {
    const { run, restart, gone, detach, asked } = shop();
    await run();
    gone('a');
    restart();
    expect(await run()).toBe('WaitingForVolumes');
    expect(asked()).toEqual(['evict shop/a']);
    detach('pv-a');
    await run();
    expect(asked()).toEqual(['evict shop/a', 'evict shop/b']);
  });

  test('holds the end of the drain', async () => {
    const { run, restart, gone, detach } = shop();
    gone('b');
    detach('pv-b');
    await run();
    gone('a');
    restart();
    expect(await run()).toBe('WaitingForVolumes');
    detach('pv-a');
    expect(await run()).toBe('pass');
  });

  test('no longer than volumes may take: then it is to be detached by force', async () => {
    const { run, restart, gone, clock, look, asked } = shop();
    await run();
    gone('a');
    restart();
    await run();
    await clock.advance(119_999);
    await run();
    expect([look().volumesLate, asked().length]).toEqual([false, 1]);
    await clock.advance(1);
    await run();
    expect([look().volumesLate, asked().length]).toEqual([true, 2]);
  });

  // hack/decisions/0051 L30
  test('has its whole time after an outage', async () => {
    const { run, restart, gone, clock, look, asked, request } = shop();
    await run();
    gone('a');
    restart();
    await run();
    await clock.advance(3_600_000);
    request.clocksFrom = clock.now() - 1;
    await clock.advance(119_998);
    await run();
    expect([look().volumesLate, asked().length]).toEqual([false, 1]);
    await clock.advance(1);
    await run();
    expect([look().volumesLate, asked().length]).toEqual([true, 2]);
  });

  test('is told from those of pods that are still here, though a claim cannot be read', async () => {
    const { run, restart, gone, server, asked, clock, look } = shop();
    server.onCall = (call) => {
      if (call === 'get persistentvolumeclaims shop/b') throw apiError(500, 'InternalError');
    };
    await run();
    expect(asked()).toEqual(['evict shop/a']);
    restart();
    gone('a');
    await run();
    expect(look().strays?.volumes).toEqual(['pv-a', 'pv-b']);
    await clock.advance(60_000);
    server.onCall = () => {};
    expect(await run()).toBe('WaitingForVolumes');
    expect(look().strays?.volumes).toEqual(['pv-a']);
  });
});

// hack/decisions/0051 L36
describe('the volume of a pod that is let be, after a restart', () => {
  /** The pod `a` is let be, and `b` has been deleted by force: how their volumes stand. */
  function spared() {
    const bench = shop();
    const { target, gone, look, restart } = bench;
    const { metadata, ...pod } = podOn('a', { claim: 'a' });
    target.pods.put({
      ...pod,
      metadata: { ...metadata, resourceVersion: '2', labels: { 'drover.dev/drain': 'skip' } },
    });
    gone('b');
    restart();
    const stand = () =>
      look().attachments?.map(({ used, spared, unsure }) => (unsure ? 'unsure' : spared ? 'spared' : `used ${used}`));
    return { ...bench, stand };
  }

  test('may be any, before its claim was looked up', async () => {
    const { stand, run } = spared();
    expect(stand()).toEqual(['unsure', 'unsure']);
    await run();
    expect(stand()).toEqual(['spared', 'used false']);
  });

  test.each([403, 500])('or when it cannot be (%p), but for that of a claim which is known', async (status) => {
    const { stand, run, server, target } = spared();
    target.pods.put(podOn('c', { claim: 'b' }));
    server.onCall = (call) => {
      if (call.endsWith('claims shop/a')) throw apiError(status, 'No');
    };
    await run();
    expect(stand()).toEqual(['unsure', 'used true']);
  });

  // hack/decisions/0051 L37
  test('hides no other that may be that of a pod which left', async () => {
    const { stand, gone, target, look } = spared();
    gone('a');
    target.attachments.drop({
      ...attachment('pv-a'),
      metadata: { ...attachment('pv-a').metadata, resourceVersion: '9' },
    });
    const { metadata, ...pod } = podOn('log', { claim: 'log' });
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'log', uid: 'u', controller: true };
    target.pods.put({ ...pod, metadata: { ...metadata, ownerReferences: [owner] } });
    expect([look().lookUp, stand()]).toEqual([['shop/log'], ['used false']]);
  });

  test('nor where other claims are known', async () => {
    const { stand, run, gone, target, look } = spared();
    await run();
    gone('a');
    target.pods.put(podOn('c', { claim: 'a' }));
    target.pods.put(podOn('log', { claim: 'log' }));
    expect([look().lookUp, stand()]).toEqual([['shop/log'], ['used true', 'used false']]);
  });
});

test('volumes of a pod that stays hold up nothing, ephemeral ones neither', async () => {
  const { run, target, gone, detach, server } = shop();
  for (const name of ['a', 'b']) {
    gone(name);
    detach(`pv-${name}`);
  }
  const { metadata } = podOn('log');
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'log', uid: 'u', controller: true };
  const volumes = [{ name: 'x', ephemeral: {} }, { persistentVolumeClaim: { claimName: 'log' } }];
  const daemon: Pod = { metadata: { ...metadata, ownerReferences: [owner] }, spec: { nodeName: 'm', volumes } };
  target.pods.put(daemon);
  for (const name of ['log', 'log-x']) {
    server.put(persistentVolumeClaims, boundClaim(name));
    target.attachments.put(attachment(`pv-${name}`));
  }
  expect(await run()).toBe('pass');
});

test('a volume that stands in a pod, and has no PersistentVolume, holds up no drain, and keeps the VM for its time', async () => {
  const { run, target, gone, detach, look } = shop();
  for (const name of ['a', 'b']) {
    gone(name);
    detach(`pv-${name}`);
  }
  target.attachments.put({ ...attachment('inline'), spec: { nodeName: 'm', source: {} } });
  target.attachments.put({ ...attachment('bare'), spec: { nodeName: 'm' } } as never);
  expect(await run()).toBe('pass');
  expect(look().attachments?.map(({ used }) => used)).toEqual([false, false]);
});

// hack/decisions/0028 T40: a pod of one namespace hid the volumes of others
describe('the volume of a pod that left is hidden by no pod that stays', () => {
  /** The volume of `shop/a`, which is gone, and a pod of another namespace that no drain touches. */
  function stray(claims: string[]) {
    const bench = shop();
    bench.gone('a');
    bench.gone('b');
    bench.detach('pv-b');
    const { metadata, spec } = podOn('other');
    const volumes = claims.map((claimName) => ({ persistentVolumeClaim: { claimName } }));
    const labels = { 'drover.dev/drain': 'skip' };
    bench.target.pods.put({ metadata: { ...metadata, namespace: 'other', labels }, spec: { ...spec, volumes } } as Pod);
    return bench;
  }

  test('that names claims which are not there', async () => {
    const { run, look } = stray(['none', 'neither']);
    expect(await run()).toBe('WaitingForVolumes');
    expect(look().attachments).toMatchObject([{ used: false }]);
  });

  test.each([undefined, 'Pending', 'Lost'])('that names it in a claim which is %p', async (phase) => {
    const { run, server, look } = stray(['mine']);
    const claim = { metadata: { namespace: 'other', name: 'mine' }, spec: { volumeName: 'pv-a' } };
    server.put(persistentVolumeClaims, { ...claim, ...(phase && { status: { phase } }) });
    expect(await run()).toBe('WaitingForVolumes');
    expect(look().attachments).toMatchObject([{ used: false }]);
    expect(look().attachments?.[0]?.spared).toBeUndefined();
  });

  test('but for as long as nobody can read its claim', async () => {
    const { run, server, look } = stray(['mine']);
    server.onCall = (call) => {
      if (call.startsWith('get persistentvolumeclaims other')) throw apiError(403, 'Forbidden');
    };
    expect(await run()).toBe('pass');
    expect(look().attachments).toMatchObject([{ used: true }]);
  });
});

test.each([true, false])(
  'the volume of a pod that left by itself is waited for if it is the driver’s: %p',
  async (its) => {
    const { target, server, run, gone, detach, look } = shop({ getVolumeIDs: async () => (its ? ['id'] : []) });
    server.put(persistentVolumes, { metadata: { name: 'pv-a' }, spec: {} } as never);
    const { metadata, ...pod } = podOn('a', { claim: 'a' });
    const labels = { 'drover.dev/drain': 'wait-completed' };
    target.pods.put({ ...pod, metadata: { ...metadata, resourceVersion: '2', labels } });
    gone('b');
    detach('pv-b');
    expect(await run()).toBe('PodsCompleting');
    gone('a');
    expect([await run(), look().strays?.volumes]).toEqual(its ? ['WaitingForVolumes', ['pv-a']] : ['pass', undefined]);
  },
);
