import type { Cluster } from '../../schemas/cluster.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import { openGate } from '../safety/outage/gates.fixture.ts';
import type { ClusterView, ConnectionFact } from './flow.ts';

/** A Cluster that is held, with this spec and metadata beside. */
export const cluster = (spec: object = {}, metadata: object = {}): Cluster =>
  ({
    metadata: { name: 'east', namespace: 'herd', generation: 1, finalizers: [FINALIZER], ...metadata },
    spec: { kubeconfigSecretRef: { name: 'east' }, ...spec },
  }) as Cluster;

/** A connection that answers. */
export const connection: ConnectionFact = { mark: '1', known: true, unreachable: false };

/** A view of a Cluster that is connected and answers. */
export const view = (facts: Partial<ClusterView> = {}): ClusterView => ({
  cluster: cluster(),
  kubeconfig: { at: 'usable', mark: '1' },
  connection,
  room: 'free',
  users: [],
  gate: openGate,
  ...facts,
});
