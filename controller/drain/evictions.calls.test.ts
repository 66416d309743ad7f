import { describe, expect, test } from 'bun:test';
import { type PodDisruptionBudget, pods } from '../runtime/k8s/workload.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { namespaceOf } from '../targets/pods.ts';
import { apiError, FakeApi, forbiddenByBudget } from './calls.fake.ts';
import { deletePod, evictPod } from './evictions.ts';
import { pod } from './flow/view.fixture.ts';

const { signal } = new AbortController();

/** What comes of an eviction that meets this. */
async function evicted(
  error: Error | undefined,
  prepare: (server: FakeApi) => PodDisruptionBudget[] | undefined = () => undefined,
) {
  const server = new FakeApi();
  const budgets = new Cache<PodDisruptionBudget>({ indexes: { namespace: namespaceOf } });
  const there = prepare(server);
  if (there) budgets.reset(there, '1');
  server.onCall = (call) => {
    if (error && call.startsWith('evict')) throw error;
  };
  const result = await evictPod({ api: server.api, budgets }, pod('a'), { signal }).catch(
    (thrown) => `throws ${thrown.reason}`,
  );
  return { result, calls: server.calls };
}

describe('an eviction (hack/spec/mcm.md 7.3)', () => {
  test.each([
    ['that is taken is all that is asked', undefined, { did: 'asked' }],
    ['of a pod that is gone is done', apiError(404, 'NotFound'), { did: 'asked' }],
    ['that conflicts because the pod is gone by now is done', apiError(409, 'Conflict'), { did: 'asked' }],
    [
      'that a server with too much to do turns away has failed',
      apiError(429, 'TooManyRequests'),
      'throws TooManyRequests',
    ],
    ['that is not answered has failed', apiError(0, 'NetworkError'), 'throws NetworkError'],
    ['that fails has failed', apiError(500, 'InternalError'), 'throws InternalError'],
  ] as const)('%s', async (_what, error, expected) => {
    expect((await evicted(error)).result as unknown).toEqual(expected);
  });

  // hack/decisions/0051 L15
  test.each([
    ['that conflicts because the pod is another by now is done', 'uid-new', { did: 'asked' }],
    ['that conflicts because the pod has changed has failed', 'uid-a', 'throws Conflict'],
  ] as const)('%s', async (_what, uid, expected) => {
    const { result } = await evicted(apiError(409, 'Conflict'), (server) => {
      server.put(pods, { metadata: { namespace: 'shop', name: 'a', uid } });
      return undefined;
    });
    expect(result as unknown).toEqual(expected);
  });

  test('that conflicts where nobody can say whether the pod is gone has failed', async () => {
    const server = new FakeApi();
    server.onCall = (call) => {
      throw call.startsWith('evict') ? apiError(409, 'Conflict') : apiError(500, 'InternalError');
    };
    const budgets = new Cache<PodDisruptionBudget>({ indexes: { namespace: namespaceOf } });
    await expect(evictPod({ api: server.api, budgets }, pod('a'), { signal })).rejects.toMatchObject({
      reason: 'InternalError',
    });
  });

  const named = (server: FakeApi) =>
    server.put(pods, { metadata: { namespace: 'shop', name: 'a', labels: { app: 'a' } } });
  const budget = (name: string, app: string, status: object) => ({
    metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1', generation: 2 },
    spec: { selector: { matchLabels: { app } } },
    status,
  });
  const stuck = { observedGeneration: 2, expectedPods: 3, currentHealthy: 3, desiredHealthy: 3, disruptionsAllowed: 0 };

  test.each([
    [
      'names the budget',
      { ...stuck, currentHealthy: 2, desiredHealthy: 2 },
      'allows no disruption now: healthy pods 2, needed 2',
    ],
    [
      'that is misconfigured',
      stuck,
      'is misconfigured: it never allows a disruption, though all of its pods are healthy (3)',
    ],
    [
      'not while its status is of yesterday',
      { ...stuck, observedGeneration: 1 },
      'allows no disruption now: healthy pods 3, needed 3',
    ],
    [
      'not while a disruption is under way',
      { ...stuck, disruptedPods: { x: 'now' } },
      'allows no disruption now: healthy pods 3, needed 3',
    ],
    ['not without pods', { ...stuck, expectedPods: 0 }, 'allows no disruption now: healthy pods 3, needed 3'],
  ])('that a budget refuses %s', async (_what, status, says) => {
    const { result } = await evicted(forbiddenByBudget, (server) => {
      named(server);
      return [budget('other', 'b', status), budget('mine', 'a', status)];
    });
    const expected = says.startsWith('is misconfigured') ? 'Misconfigured' : 'Refused';
    expect(result).toMatchObject({ did: 'nothing', result: expected, reason: `PodDisruptionBudget "mine" ${says}` });
  });

  test('that a budget refuses is told in the server’s words where budgets cannot be read', async () => {
    const { result } = await evicted(forbiddenByBudget);
    expect(result).toMatchObject({ reason: 'The disruption budget b needs 1 healthy pods and has 1 currently' });
  });
});

describe('a deletion (hack/spec/mcm.md 7.2)', () => {
  test('is of just this pod, and without grace', async () => {
    const server = new FakeApi();
    expect(await deletePod(server.api, pod('a'), signal)).toEqual({ did: 'killed' });
    expect(server.calls).toEqual(['delete shop/a uid-a 0']);
  });

  test.each([
    ['is done when the pod is gone', apiError(404, 'NotFound'), 'killed', 'uid-a'],
    ['is done when the pod is another', apiError(409, 'Conflict'), 'killed', 'uid-new'],
    ['fails when the pod has changed', apiError(409, 'Conflict'), 'throws Conflict', 'uid-a'],
    ['fails else', apiError(500, 'InternalError'), 'throws InternalError', 'uid-a'],
  ])('%s', async (_what, error, expected, uid) => {
    const server = new FakeApi();
    server.put(pods, { metadata: { namespace: 'shop', name: 'a', uid } });
    server.onCall = (call) => (call.startsWith('delete') ? Promise.reject(error) : undefined);
    const result = await deletePod(server.api, pod('a'), signal).then(
      ({ did }) => did,
      ({ reason }) => `throws ${reason}`,
    );
    expect(result).toBe(expected);
  });
});
