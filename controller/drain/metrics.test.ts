import { expect, test } from 'bun:test';
import { persistentVolumeClaims } from '../runtime/k8s/workload.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { seededRandom } from '../runtime/random.ts';
import { apiError, forbiddenByBudget } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, leaving, podOn } from './drains.fixture.ts';
import { applyDrain } from './evictions.ts';
import { planDrain } from './flow/plan.ts';
import { NOW } from './flow/view.fixture.ts';
import { countDrainCall, drainCollector, drainMetrics } from './metrics.ts';
import { observeDrain } from './observe.ts';
import { Drains } from './tracker.ts';

/** A drain whose calls are counted. */
function counted() {
  const bench = benchDrain({ deadline: NOW + 60_000 });
  const { clock, request } = bench;
  const metrics = createMetrics({ tables: [drainMetrics] });
  const drains = new Drains({
    clock,
    random: seededRandom(1),
    log: new FakeLog(),
    enqueue: () => {},
    ended: (end) => countDrainCall(metrics, end),
  });
  const collect = drainCollector(drains);
  metrics.onScrape(() => collect(metrics));
  const run = async () => {
    for (let tries = 0; tries < 20; tries++) {
      const outcome = planDrain(observeDrain({ drains, clock }, request));
      if (outcome.kind === 'act') applyDrain(drains, request.uid, outcome.action);
      await clock.advance(0);
    }
  };
  const lines = async (prefix: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(prefix));
  return { ...bench, run, lines };
}

test('what came of asking pods to leave is counted; one that was leaving already was not asked', async () => {
  const { target, server, clock, run, lines } = counted();
  for (const name of ['goes', 'refused', 'fails']) target.pods.put(podOn(name));
  target.pods.put(leaving('left-before'));
  server.onCall = (call) => {
    if (call === 'evict shop/refused') throw forbiddenByBudget;
    if (call.startsWith('evict shop/fails')) throw apiError(500, 'InternalError');
  };
  await run();
  const one = (result: string) => `drover_drain_pods_total{namespace="herd",result="${result}"} 1`;
  expect((await lines('drover_drain_pods_total')).sort()).toEqual(['evicted', 'failed', 'refused'].map(one));
  await clock.advance(60_000);
  await run();
  expect(await lines('drover_drain_pods_total')).toContain(
    'drover_drain_pods_total{namespace="herd",result="deleted"} 4',
  );
});

test('volumes that drains wait for are shown, and no longer once they have moved', async () => {
  const { target, server, run, lines } = counted();
  target.pods.put(podOn('a', { claim: 'a' }));
  server.put(persistentVolumeClaims, boundClaim('a'));
  target.attachments.put(attachment('pv-a'));
  await run();
  expect(await lines('drover_drain_volumes')).toEqual(['drover_drain_volumes_waiting{namespace="herd"} 1']);
  const later = { resourceVersion: '2' };
  target.pods.drop({ ...podOn('a'), metadata: { ...podOn('a').metadata, ...later } });
  target.attachments.drop({ ...attachment('pv-a'), metadata: { ...attachment('pv-a').metadata, ...later } });
  target.attachments.put(attachment('pv-a', 'n'));
  await run();
  expect(await lines('drover_drain_volumes')).toEqual([]);
});
