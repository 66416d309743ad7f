import { expect, test } from 'bun:test';
import { type PodDisruptionBudget, persistentVolumeClaims, pods as podResource } from '../runtime/k8s/workload.ts';
import { apiError, forbiddenByBudget } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, leaving, podOn } from './drains.fixture.ts';
import { NOW } from './flow/view.fixture.ts';

/** A pod under the budget `b`, which refuses it; the answers to its evictions come one after the other, the last for good. */
function refused(...answers: Error[]) {
  const bench = benchDrain();
  const { server, target } = bench;
  const labels = { app: 'a' };
  let version = 1;
  const tell = (status: PodDisruptionBudget['status']) => {
    const metadata = { namespace: 'shop', name: 'b', generation: 1, uid: 'b', resourceVersion: `${++version}` };
    const observed = { observedGeneration: 1, disruptionsAllowed: 0, expectedPods: 2, ...status };
    target.budgets.put({ metadata, spec: { selector: { matchLabels: labels } }, status: observed });
  };
  target.budgets.reset([], '0');
  tell({ currentHealthy: 1 });
  server.put(podResource, { metadata: { namespace: 'shop', name: 'a', labels } });
  target.pods.put(podOn('a'));
  server.onCall = (call) => {
    if (!call.startsWith('evict')) return;
    throw (answers.length > 1 ? answers.shift() : answers[0]) as Error;
  };
  const again = async () => {
    await bench.clock.advance(30_000);
    return bench.run();
  };
  return { ...bench, tell, again };
}

test('the budget that refused a pod is known until something else holds it up', async () => {
  const { run, again, look } = refused(forbiddenByBudget, apiError(500, 'InternalError'));
  await run();
  expect(look().pods[0]).toMatchObject({ budget: 'shop/b', refusedSince: NOW });
  await again();
  expect(look().pods[0]).not.toHaveProperty('budget');
});

test('a pod that leaves after all is held by no budget any more', async () => {
  const { run, again, look, server } = refused(forbiddenByBudget);
  await run();
  server.onCall = () => {};
  await again();
  expect(look().pods[0]).not.toHaveProperty('budget');
  expect(look().pods[0]).not.toHaveProperty('answer');
});

test('the labels of a pod that was refused are asked for once, whatever comes between', async () => {
  const { run, again, server } = refused(forbiddenByBudget, apiError(500, 'InternalError'), forbiddenByBudget);
  await run();
  expect([await again(), await again()]).toEqual(['EvictionFailed', 'EvictionBlocked']);
  expect(server.calls.filter((call) => call.startsWith('get pods'))).toHaveLength(1);
});

test('refusals of a budget that is misconfigured do not count', async () => {
  const { run, again, look, tell } = refused(forbiddenByBudget);
  await run();
  tell({ currentHealthy: 2 });
  expect(await again()).toBe('PodDisruptionBudgetMisconfigured');
  expect(look().pods[0]).not.toHaveProperty('refusedSince');
});

test('the volumes of a pod that was leaving before anybody looked are followed', async () => {
  const { target, server, run, look } = benchDrain();
  server.put(persistentVolumeClaims, boundClaim('a'));
  target.attachments.put(attachment('pv-a'));
  target.pods.put({ ...podOn('a', { claim: 'a' }), metadata: leaving('a').metadata });
  expect([await run(), look().handover?.pod, server.calls.length]).toEqual(['WaitingForVolumes', 'shop/a', 1]);
});
