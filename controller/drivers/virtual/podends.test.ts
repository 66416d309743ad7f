import { expect, test } from 'bun:test';
import { at } from '../../../test/fixtures/objects.ts';
import { onlyTarget } from '../../drivertargets.fixture.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/log.fake.ts';
import { createMetrics } from '../../runtime/metrics.ts';
import { seededRandom } from '../../runtime/random.ts';
import { type Pod, pods } from '../../runtime/workload.ts';
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

test('a pod that is asked to leave a virtual Node ends at once; who stays, is deleted already, or is elsewhere is let alone', async () => {
  const [clock, store, target, end] = [new FakeClock(), memoryStore(), new FakeTarget(), new AbortController()];
  const { api } = target;
  const metrics = createMetrics({ tables: [] });
  const parts = { store, api, targets: onlyTarget(target), clock, random: seededRandom(1), metrics };
  await new Sites({ ...parts, log: new FakeLog() }).start(end.signal);
  await store.create(vmWith({ spec: { heartbeat: '0s' } }), end.signal);
  for (let step = 0; step < 30; step++) await clock.advance(100);
  const all = [pod('stays', 'm'), pod('leaves', 'm', 30), pod('deleted', 'm', 0), pod('elsewhere', 'n', 30)];
  for (const one of all) target.put(pods, one);
  await clock.advance(100);
  expect(target.all(pods).map(({ metadata }) => metadata.name)).toEqual(['stays', 'deleted', 'elsewhere']);
  end.abort(new Error('the test is over'));
});
