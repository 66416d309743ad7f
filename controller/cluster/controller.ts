import type { Cluster } from '../../schemas/cluster.ts';
import { FINALIZER, LABEL_CLUSTER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { mergePatch } from '../../schemas/mergepatch.ts';
import { noteOf } from '../flow/reasons.ts';
import type { Repeats } from '../flow/repeats.ts';
import type { Journal } from '../framework/decisionlog.ts';
import { addFinalizer, mergeStatus, removeFinalizer, unlessGone, type Writable } from '../framework/writer.ts';
import { type Clock, timestamp } from '../runtime/clock.ts';
import type { Events } from '../runtime/events/events.ts';
import { keyOf, refOf } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import { type ClusterAction, type ClusterView, plan, reasons } from './flow.ts';
import type { Kubeconfig, Kubeconfigs } from './kubeconfigs.ts';
import { type ClusterSources, observe } from './observe.ts';
import { newsOf, statusOf } from './status.ts';

/** All that the controller of Clusters reads and writes with. */
export interface ClusterParts extends ClusterSources {
  clusterWrites: Writable<Cluster>;
  kubeconfigs: Kubeconfigs;
  journal: Journal;
  repeats: Repeats;
  events: Events;
  clock: Clock;
}

/** When it is looked again after the API server had something that the cache does not show yet, milliseconds. */
const RECOUNT_MS = 1_000;

/** One pass over a Cluster: read its kubeconfig, connect, tell how it stands; a deleted one is held while machines name it. */
export async function reconcileCluster(parts: ClusterParts, key: string): Promise<Result> {
  const cluster = parts.clusters.get(key);
  if (!cluster) {
    if (!(await isGone(parts, key))) return { after: RECOUNT_MS };
    parts.ways.close(key);
    parts.journal.forget(key);
    parts.kubeconfigs.forget(key);
    parts.repeats.end(key);
    return {};
  }
  const kubeconfig = parts.kubeconfigs.of(cluster);
  if (kubeconfig.at !== 'usable') parts.ways.trouble(key, kubeconfig.why);
  const view = observe(parts, cluster, kubeconfig);
  const decision = plan(view);
  const isNews = parts.journal.decided(key, decision);
  const { outcome } = decision;
  if (outcome.kind === 'act') return carryOut(parts, view, { action: outcome.action, kubeconfig });
  for (const note of isNews ? noteOf(reasons, decision) : []) parts.events.record(cluster, note);
  const { after = Infinity, visible = [] } = await tell(parts, view);
  const ms = Math.min(after, outcome.kind === 'wait' ? outcome.ms : Infinity);
  return Number.isFinite(ms) ? { after: ms, visible } : { visible };
}

/**
 * Writes the status if it says something new, and records what of it is. Another process that shares the controllers may see
 * the cluster otherwise and write that: whoever says the same again and again does so ever more seldom.
 */
async function tell({ clusterWrites, events, clock, repeats }: ClusterParts, view: ClusterView): Promise<Result> {
  const status = statusOf(view, timestamp(clock.now()));
  const change = mergePatch(view.cluster.status ?? {}, status);
  if (!change) return {};
  const pauseMs = repeats.waitMs(keyOf(view.cluster), status, clock.monotonic());
  if (pauseMs > 0) return { after: pauseMs };
  const visible = await mergeStatus(clusterWrites, view.cluster, change);
  for (const note of newsOf(view, status)) events.record(view.cluster, note);
  return { visible };
}

async function carryOut(
  parts: ClusterParts,
  { cluster }: ClusterView,
  { action, kubeconfig }: { action: ClusterAction; kubeconfig: Kubeconfig },
): Promise<Result> {
  const { clusterWrites: on, ways } = parts;
  switch (action.do) {
    case 'addFinalizer':
      return { after: 0, visible: await addFinalizer(on, cluster, FINALIZER) };
    case 'connect':
      if (kubeconfig.at === 'usable' && kubeconfig.connection)
        ways.use(cluster, { connection: kubeconfig.connection, mark: kubeconfig.mark });
      return { after: 0 };
    case 'removeFinalizer':
      if (await isNamed(parts, cluster)) return { after: RECOUNT_MS };
      return { visible: await removeFinalizer(on, cluster, FINALIZER) };
  }
}

/**
 * What names a Cluster that is gone leaves without a drain: the API server is asked for this one, unless it is known to
 * serve no Clusters at all. Throws an ApiError while it gives no answer of its own.
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
