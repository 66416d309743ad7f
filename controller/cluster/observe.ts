import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Room } from '../model/target.ts';
import type { Connection } from '../runtime/client/connection.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { Gates } from '../safety/outage/gate.ts';
import type { ClusterView, ConnectionFact, KubeconfigFact } from './flow.ts';

/** Connections of Clusters, by their keys. */
export interface ClusterConnections {
  /** Whether one more may be opened for a Cluster of this namespace. */
  roomIn(namespace: string): Room;
  at(key: string): ConnectionFact | undefined;
  /** Opens the Cluster this way, or exchanges the way that it is open by. */
  connect(cluster: Cluster, way: { connection: Connection; mark: string }): void;
  /** There is no way, for a reason in words. */
  setError(key: string, why: string): void;
  /** The Cluster is gone. */
  close(key: string): void;
}

/** Where the facts about Clusters are read. */
export interface ClusterSources {
  clusters: Cache<Cluster>;
  /** With the index `cluster`. */
  machines: Cache<Machine>;
  clusterConnections: ClusterConnections;
  gates: Gates;
}

/** Everything that a decision about this Cluster needs. */
export function observe(
  { machines, clusterConnections, gates }: ClusterSources,
  cluster: Cluster,
  kubeconfig: KubeconfigFact,
): ClusterView {
  const { name, namespace } = cluster.metadata;
  const key = keyOf(cluster);
  return {
    cluster,
    kubeconfig,
    connection: clusterConnections.at(key),
    room: clusterConnections.roomIn(namespace ?? ''),
    users: machines
      .by('cluster', key)
      .filter((machine) => !isOnlyKept(machine))
      .map(({ metadata }) => metadata.name)
      .sort(),
    gate: gates.of({ metadata: { name, ...(namespace && { namespace }), labels: { [LABEL_CLUSTER]: name } } }),
  };
}
