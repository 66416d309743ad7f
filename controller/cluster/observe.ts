import { type Cluster, KUBECONFIG_KEY } from '../../schemas/cluster.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Cache } from '../runtime/cache.ts';
import type { Connection } from '../runtime/connection.ts';
import type { Secret } from '../runtime/core.ts';
import type { Judging } from '../runtime/judgedsend.ts';
import { selfContainedConnection } from '../runtime/kubeconfigtext.ts';
import { keyOf } from '../runtime/object.ts';
import type { Gates } from '../safety/gates.ts';
import type { ClusterView, KubeconfigFact, Room, WayFact } from './view.ts';

/** Connections of Clusters, by their keys. */
export interface Ways {
  /** Whether one more may be opened for a Cluster of this namespace. */
  roomIn(namespace: string): Room;
  at(key: string): WayFact | undefined;
  /** Opens the Cluster this way, or exchanges the way that it is open by. */
  use(cluster: Cluster, way: { connection: Connection; mark: string }): void;
  /** There is no way, for a reason in words. */
  trouble(key: string, why: string): void;
  /** The Cluster is gone. */
  close(key: string): void;
}

/** Where the facts about Clusters are read. */
export interface ClusterSources {
  clusters: Cache<Cluster>;
  secrets: Cache<Secret>;
  /** With the index `cluster`. */
  machines: Cache<Machine>;
  ways: Ways;
  gates: Gates;
  /** Where their servers may be. */
  judging: Judging;
}

/** A kubeconfig as it stands, and the connection that it describes. */
export type Kubeconfig = KubeconfigFact & { connection?: Connection };

/** Longest complaint about a kubeconfig, which may quote it, in characters. */
const MOST_SAID = 700;

/** Reads the kubeconfig of a Cluster. */
export function kubeconfigOf(
  { secrets, judging }: Pick<ClusterSources, 'secrets' | 'judging'>,
  cluster: Cluster,
): Kubeconfig {
  const { name, key } = { key: KUBECONFIG_KEY, ...cluster.spec?.kubeconfigSecretRef };
  if (name === undefined) return { at: 'invalid', why: 'spec.kubeconfigSecretRef is missing: name the Secret there' };
  const data = secrets.get(`${cluster.metadata.namespace}/${name}`)?.data;
  const encoded = data?.[key ?? KUBECONFIG_KEY];
  if (!data) return { at: 'missing', why: `Secret "${name}" does not exist` };
  if (encoded === undefined) return { at: 'missing', why: `Secret "${name}" has no key "${key}"` };
  try {
    const connection = selfContainedConnection(Buffer.from(encoded, 'base64').toString(), judging);
    return { at: 'usable', mark: String(Bun.hash(encoded)), connection };
  } catch (error) {
    const says = (error as Error).message.slice(0, MOST_SAID);
    return { at: 'invalid', why: `Secret "${name}", key "${key}": ${says}` };
  }
}

/** Everything that a decision about this Cluster needs. */
export function observe(
  { machines, ways, gates }: ClusterSources,
  cluster: Cluster,
  kubeconfig: KubeconfigFact,
): ClusterView {
  const { name, namespace } = cluster.metadata;
  const key = keyOf(cluster);
  return {
    cluster,
    kubeconfig,
    way: ways.at(key),
    room: ways.roomIn(namespace ?? ''),
    users: machines
      .by('cluster', key)
      .map(({ metadata }) => metadata.name)
      .sort(),
    gate: gates.of({ metadata: { name, ...(namespace && { namespace }), labels: { [LABEL_CLUSTER]: name } } }),
  };
}
