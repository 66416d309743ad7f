import { expect, test } from 'bun:test';
import { FINALIZER, LABEL_CLUSTER } from '../../schemas/keys.ts';
import { at, machine } from '../../test/fixtures/objects.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { makeCaches } from '../state/caches.ts';
import { observe } from './observe.ts';
import { cluster } from './view.fixture.ts';

const of = (name: string, finalizers: string[]) =>
  machine({
    metadata: { name, uid: name, labels: { [LABEL_CLUSTER]: 'east' }, deletionTimestamp: at(1), finalizers },
  });

test('a Cluster waits for machines that leave, and for none that only somebody else keeps (hack/decisions/0051 U38)', () => {
  const { clusters, machines } = makeCaches(new FakeLog());
  machines.put(of('kept', ['example.com/audit']));
  machines.put(of('leaving', ['example.com/audit', FINALIZER]));
  const clusterConnections = { at: () => undefined, roomIn: () => 'free' } as never;
  const sources = { clusters, machines, clusterConnections, gates: openGates };
  expect(observe(sources, cluster(), { at: 'usable', mark: '1' } as never).users).toEqual(['leaving']);
});
