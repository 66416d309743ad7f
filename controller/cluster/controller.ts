import type { Cluster } from '../../schemas/cluster.ts';
import { FINALIZER, LABEL_CLUSTER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { mergePatch } from '../../schemas/same.ts';
import type { Decision } from '../flow/flow.ts';
import type { Repeats } from '../flow/refusals.ts';
import type { DecisionLog } from '../framework/decisionlog.ts';
import { type Kind, reconcile, requeue, waitOf } from '../framework/reconcile.ts';
import { addFinalizer, mergeStatus, removeFinalizer, unlessGone, type Writable } from '../framework/writer.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Events } from '../runtime/events/events.ts';
import { keyOf, refOf, timestamp } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import { type ClusterAction, type ClusterView, plan, reasons } from './flow.ts';
import type { Kubeconfig, Kubeconfigs } from './kubeconfigs.ts';
import { type ClusterSources, observe } from './observe.ts';
import { newsOf, statusOf } from './status.ts';

/** All that the controller of Clusters reads and writes with. */
export interface ClusterParts extends ClusterSources {
  clusterWrites: Writable<Cluster>;
  kubeconfigs: Kubeconfigs;
  decisionLog: DecisionLog;
  repeats: Repeats;
  events: Events;
  clock: Clock;
}

/** When it is looked again after the API server had something that the cache does not show yet, milliseconds. */
const RECOUNT_MS = 1_000;

/** One pass over a Cluster: read its kubeconfig, connect, tell how it stands; a deleted one is held while machines name it. */
export async function reconcileCluster(parts: ClusterParts, key: string): Promise<Result> {
  if (!parts.clusters.get(key) && !(await isGone(parts, key))) return { after: RECOUNT_MS };
  return reconcile(clusters(parts), key);
}

/** What is read of a Cluster, its kubeconfig beside what decisions see of it. */
interface Seen {
  view: ClusterView;
  kubeconfig: Kubeconfig;
}

/** How Clusters are reconciled. */
const clusters = (parts: ClusterParts): Kind<Seen, Decision<ClusterAction>> => ({
  reasons,
  decisionLog: parts.decisionLog,
  observe: (key) => look(parts, key),
  forget(key) {
    parts.clusterConnections.close(key);
    parts.kubeconfigs.forget(key);
    parts.repeats.end(key);
  },
  objectKey: ({ view }) => keyOf(view.cluster),
  plan: ({ view }) => plan(view),
  act: ({ view, kubeconfig }, { outcome }) => carryOut(parts, view, { action: outcome.action, kubeconfig }),
  async rest({ view }, decision, news) {
    for (const note of news) parts.events.record(view.cluster, note);
    const { after = Infinity, expectations = [] } = await tell(parts, view);
    return requeue(expectations, after, waitOf(decision));
  },
});

function look(parts: ClusterParts, key: string): Seen | undefined {
  const cluster = parts.clusters.get(key);
  if (!cluster) return undefined;
  const kubeconfig = parts.kubeconfigs.of(cluster);
  if (kubeconfig.at !== 'usable') parts.clusterConnections.setError(key, kubeconfig.why);
  return { view: observe(parts, cluster, kubeconfig), kubeconfig };
}

/**
 * Writes the status if it says something new, and records the changes as events. Another process with other controllers may see the cluster
 * differently and write that: a process that repeats the same status again and again does so at growing intervals.
 */
async function tell({ clusterWrites, events, clock, repeats }: ClusterParts, view: ClusterView): Promise<Result> {
  const status = statusOf(view, timestamp(clock.now()));
  const change = mergePatch(view.cluster.status ?? {}, status);
  if (!change) return {};
  const pauseMs = repeats.waitMs(keyOf(view.cluster), status, clock.monotonic());
  if (pauseMs > 0) return { after: pauseMs };
  const expectations = await mergeStatus(clusterWrites, view.cluster, change);
  for (const note of newsOf(view, status)) events.record(view.cluster, note);
  return { expectations };
}

async function carryOut(
  parts: ClusterParts,
  { cluster }: ClusterView,
  { action, kubeconfig }: { action: ClusterAction; kubeconfig: Kubeconfig },
): Promise<Result> {
  const { clusterWrites: on, clusterConnections } = parts;
  switch (action.do) {
    case 'addFinalizer':
      return { after: 0, expectations: await addFinalizer(on, cluster, FINALIZER) };
    case 'connect':
      if (kubeconfig.at === 'usable' && kubeconfig.connection)
        clusterConnections.connect(cluster, { connection: kubeconfig.connection, mark: kubeconfig.mark });
      return { after: 0 };
    case 'removeFinalizer':
      if (await isNamed(parts, cluster)) return { after: RECOUNT_MS };
      return { expectations: await removeFinalizer(on, cluster, FINALIZER) };
  }
}

/**
 * A Machine that names a missing Cluster is deleted without a drain. So the API server is asked whether this Cluster is missing, unless it
 * is known not to serve the kind at all. Throws an ApiError while it gives no answer of its own.
 */
async function isGone({ clusters, clusterWrites: { api } }: ClusterParts, key: string): Promise<boolean> {
  return !clusters.served || (await unlessGone(api.get(resources.clusters, refOf(key)))) === undefined;
}

/** A cache may not show yet a machine that was just made: the API server is asked before a Cluster is let go. */
async function isNamed({ clusterWrites: { api } }: ClusterParts, cluster: Cluster): Promise<boolean> {
  const { namespace = '', name } = cluster.metadata;
  const { items } = await api.list(resources.machines, { namespace, labelSelector: `${LABEL_CLUSTER}=${name}` });
  return items.length > 0;
}
