import { expect, test } from 'bun:test';
import { at } from '../../../test/fixtures/objects.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { type Pod, pods } from '../../runtime/k8s/workload.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { createMetrics } from '../../runtime/observability/metrics.ts';
import { seededRandom } from '../../runtime/random.ts';
import { onlyTarget } from '../sdk/targets.fixture.ts';
import { memoryStore } from './memory.ts';
import { Sites } from './sites.ts';
import { FakeTarget } from './target.fake.ts';
import { vmWith } from './virtual.fixture.ts';

/** A pod that was asked to leave with this grace, or was not. */
const pod = (name: string, nodeName: string, grace?: number): Pod => ({
  metadata: {
    namespace: 'shop',
    name,
    ...(grace !== undefined && { deletionTimestamp: at(0), deletionGracePeriodSeconds: grace }),
  },
  spec: { nodeName },
});

test('a pod that is asked to leave a virtual Node ends at once; who stays, or is elsewhere is let alone', async () => {
  const [clock, store, target, end] = [new FakeClock(), memoryStore(), new FakeTarget(), new AbortController()];
  const { api } = target;
  const metrics = createMetrics({ tables: [] });
  const parts = { store, api, targets: onlyTarget(target), clock, random: seededRandom(1), metrics };
  await new Sites({ ...parts, log: new FakeLog() }).start(end.signal);
  await store.create(vmWith({ spec: { heartbeat: '0s' } }), end.signal);
  for (let step = 0; step < 30; step++) await clock.advance(100);
  const all = [pod('stays', 'm'), pod('leaves', 'm', 30), pod('elsewhere', 'n', 30)];
  for (const one of all) target.put(pods, one);
  await clock.advance(100);
  expect(target.all(pods).map(({ metadata }) => metadata.name)).toEqual(['stays', 'elsewhere']);
  end.abort(new Error('the test is over'));
});

// hack/decisions/0051 L27
test('a pod whose deletion without grace was cut short is ended once more, one that a finalizer holds only once', async () => {
  const [clock, store, target, end] = [new FakeClock(), memoryStore(), new FakeTarget(), new AbortController()];
  const { api } = target;
  const metrics = createMetrics({ tables: [] });
  const parts = { store, api, targets: onlyTarget(target), clock, random: seededRandom(1), metrics };
  const asked: string[] = [];
  target.onWrite = (write) => {
    if (write.startsWith('delete pods')) asked.push(write);
    if (write === 'delete pods held')
      throw new ApiError('it stays', { status: 404, reason: 'NotFound', mayHaveActed: false });
  };
  for (const name of ['cut-short', 'held']) target.put(pods, pod(name, 'm', 0));
  await new Sites({ ...parts, log: new FakeLog() }).start(end.signal);
  await store.create(vmWith({ spec: { heartbeat: '0s' } }), end.signal);
  for (let step = 0; step < 600; step++) await clock.advance(100);
  expect(target.all(pods).map(({ metadata }) => metadata.name)).toEqual(['held']);
  expect(asked.sort()).toEqual(['delete pods cut-short', 'delete pods held']);
  end.abort(new Error('the test is over'));
});
