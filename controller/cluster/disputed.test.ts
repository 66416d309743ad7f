import { expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import { mergePatched } from '../../test/world/patching.ts';
import { Repeats } from '../flow/refusals.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { type ClusterParts, reconcileCluster } from './controller.ts';
import type { ConnectionFact } from './flow.ts';
import { cluster, connection } from './view.fixture.ts';

/** hack/decisions/0051 S19f: two processes that share the controllers both tell how a Cluster stands. */

/** A cache that shows each write at once, and processes that each see the Cluster their way. */
function stage() {
  const [clock, caches] = [new FakeClock(), makeCaches(new FakeLog())];
  caches.clusters.reset([{ ...cluster(), metadata: { ...cluster().metadata, resourceVersion: '1' } }], '1');
  const shown = () => caches.clusters.list()[0] as Cluster;
  let writes = 0;
  const patch = async (_resource: unknown, _ref: unknown, { body }: { body: object }) => {
    writes += 1;
    const written = mergePatched(shown(), body) as Cluster;
    const metadata = { ...shown().metadata, resourceVersion: String(writes + 1) };
    caches.clusters.put({ ...written, metadata });
    return shown();
  };
  const process = (seen: ConnectionFact) => {
    const parts = {
      ...caches,
      clock,
      gates: openGates,
      clusterConnections: { at: () => seen, roomIn: () => 'free', setError: () => {}, close: () => {} },
      kubeconfigs: { of: () => ({ at: 'usable', mark: '1' }), forget: () => {} },
      decisionLog: { decided: () => false, forget: () => {} },
      events: { record: () => {} },
      repeats: new Repeats(),
      clusterWrites: { api: { patch }, resource: {}, cache: caches.clusters },
    } as unknown as ClusterParts;
    return async () => (await reconcileCluster(parts, 'herd/east')).after ?? Infinity;
  };
  return { clock, process, writes: () => writes };
}

const away: ConnectionFact = { ...connection, unreachable: true, failure: { status: 0, reason: 'NetworkError' } };

test('two that do not agree write ever more seldom', async () => {
  const { clock, process, writes } = stage();
  const both = [process(connection), process(away)];
  // Each write calls both, and who is told to wait comes by itself.
  for (let second = 0; second < 600; second++) {
    for (const pass of both) expect(await pass()).toBeGreaterThan(0);
    await clock.advance(1_000);
  }
  expect(writes()).toBeLessThan(45);
});

test('one that is to wait looks again when it may write', async () => {
  const { process, writes } = stage();
  const [one, other] = [process(connection), process(away)];
  for (let time = 0; time < 5; time++) expect([await other(), await one()]).toEqual([Infinity, Infinity]);
  expect([await other(), writes()]).toEqual([1_000, 10]);
});

test('what changes is told at once, however often', async () => {
  const { process, writes } = stage();
  const seen = { ...connection };
  const pass = process(seen);
  for (let time = 0; time < 20; time++) {
    Object.assign(seen, time % 2 === 0 ? { unreachable: true } : { unreachable: false });
    await pass();
  }
  expect(writes()).toBe(20);
});
