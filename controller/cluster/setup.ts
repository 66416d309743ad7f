import type { Cluster } from '../../schemas/cluster.ts';
import { resources } from '../../schemas/kinds.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import { defaults } from '../flow/priority.ts';
import { Repeats } from '../flow/refusals.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { collectOnScrape } from '../framework/objectmetrics.ts';
import { clusterKeyOf } from '../model/target.ts';
import type { Connection } from '../runtime/client/connection.ts';
import { environmentProxies } from '../runtime/client/proxies.ts';
import { sameCluster } from '../runtime/client/samecluster.ts';
import { trustIn } from '../runtime/dns/embedded.ts';
import { systemResolve } from '../runtime/dns/resolve.ts';
import { asProgram } from '../runtime/fairness/asking.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import { GATHER_MS, resyncEvery, retryConflicts, runLoop } from '../runtime/queue/loop.ts';
import { Queue } from '../runtime/queue/queue.ts';
import type { LoopParts } from '../state/deps.ts';
import { flowOfKey } from '../state/fairshares.ts';
import { enqueueCluster } from '../state/watches.ts';
import type { TargetCluster } from '../targets/cluster.ts';
import { requestsComplaint, roomFor } from '../targets/pool.ts';
import { reconcileCluster } from './controller.ts';
import { Kubeconfigs } from './kubeconfigs.ts';
import { clusterCollector } from './metrics.ts';
import type { ClusterConnections } from './observe.ts';

/** Few are needed: no reconcile waits for a target. */
const WORKERS = 2;

/** Reconciles a Cluster when it, its kubeconfig, its machines or its reachability may have changed, and all of them periodically. */
export async function runClusters(parts: LoopParts): Promise<void> {
  const { clock, caches, api, targets, settings } = parts;
  const queue = new Queue({ clock, flowOf: flowOfKey });
  const enqueue = (key: string, after = 0) => queue.add(key, { priority: defaults.generic, after });
  follow(parts, enqueue);
  collectOnScrape(
    parts,
    'machine',
    clusterCollector(caches.clusters, (key) => targets.at(key)?.target.nodes),
  );
  const judging = {
    trust: trustIn(settings.clusterServerAllow),
    resolve: systemResolve,
    proxies: environmentProxies(process.env),
    clock,
  };
  const clusterParts = {
    ...parts,
    ...caches,
    clusterConnections: connectionsOf(parts, enqueue),
    kubeconfigs: new Kubeconfigs({ secrets: caches.secrets, judging }),
    clusterWrites: { api, resource: resources.clusters, cache: caches.clusters },
    decisionLog: new DecisionLog({ ...parts, kind: 'cluster' }),
    repeats: new Repeats(),
  };
  const reconcile = (key: string) => reconcileCluster(clusterParts, key).catch(retryConflicts);
  await runLoop({ ...parts, name: 'cluster', workers: WORKERS, queue, priorityOf: () => defaults.generic, reconcile });
}

function follow(parts: LoopParts, enqueue: (key: string, after?: number) => void): void {
  const { caches, targets, reach, log, signal } = parts;
  const enqueueAll = () => {
    for (const cluster of caches.clusters.list()) enqueue(keyOf(cluster));
  };
  enqueueAll();
  caches.clusters.onChange(({ key }) => enqueue(key));
  caches.secrets.onChange(({ key }) => {
    for (const cluster of caches.clusters.by('secret', key)) enqueue(keyOf(cluster));
  });
  caches.machines.onChange(({ before, after }) => {
    const [was, is] = [before, after].map((one) => one && !isOnlyKept(one) && clusterKeyOf(one));
    if (was !== is) for (const key of [was, is]) if (key) enqueue(key, GATHER_MS.counted);
  });
  reach.onChange(enqueueAll);
  targets.follow(({ cluster, target, whenKnown, onGuard }) => {
    if (cluster === '') return;
    const complaint = requestsComplaint(targets.count, process.env['BUN_CONFIG_MAX_HTTP_REQUESTS']);
    if (complaint) log.warn(complaint);
    whenKnown().then(
      () => enqueue(cluster),
      () => {},
    );
    target.reach.settled.then(
      () => enqueue(cluster),
      () => {},
    );
    target.reach.onChange(() => enqueue(cluster));
    onGuard(() => enqueue(cluster));
    const { nodes, pods, attachments, tokens } = target;
    for (const cache of [nodes, pods, attachments, tokens]) cache.sync.onChange(() => enqueue(cluster));
  }, signal);
  void resyncEvery(parts.settings.minResyncPeriod, parts, enqueueAll);
}

/** What a Cluster is reached by. */
interface OpenConnection {
  mark: string;
  /** Of the cluster that it leads to, once that is known. */
  uid?: string;
}

/** Connections of Clusters are targets in the pool; what names a Cluster is enqueued when one comes, changes or goes. */
function connectionsOf(
  { targets, caches, queues, openCluster, settings }: LoopParts,
  enqueue: (key: string) => void,
): ClusterConnections {
  const current = new Map<string, OpenConnection>();
  return {
    roomIn(namespace) {
      const own = targets.countIn(namespace);
      const limits = { limit: process.env['BUN_CONFIG_MAX_HTTP_REQUESTS'], namespace: settings.namespace };
      return roomFor({ own, others: targets.count - own }, limits);
    },
    at: (key) => connectionFact(targets.at(key), current.get(key)),
    setError(key, why) {
      if (!targets.at(key) && targets.setError(key, why)) enqueueCluster(caches, queues, key);
    },
    connect(cluster: Cluster, { connection, mark }: { connection: Connection; mark: string }) {
      const key = keyOf(cluster);
      const own: OpenConnection = { mark };
      const learned = (uid: string) => {
        own.uid = uid;
        enqueue(key);
      };
      const same = sameCluster(connection, { expected: () => expectedOf(caches, key), learned });
      const opened = targets.at(key);
      // What follows the target outlives this look at its Cluster.
      asProgram(() => {
        if (opened) opened.exchange(same);
        else targets.add(key, openCluster(cluster, same));
      });
      current.set(key, own);
    },
    close(key) {
      current.delete(key);
      targets.remove(key);
      enqueueCluster(caches, queues, key);
    },
  };
}

/** While nothing names a Cluster it may lead anywhere. */
function expectedOf({ clusters, machines }: LoopParts['caches'], key: string): string | undefined {
  const isUsed = machines.by('cluster', key).some((machine) => !isOnlyKept(machine));
  return isUsed ? clusters.get(key)?.status?.targetUID : undefined;
}

function connectionFact(
  opened: TargetCluster | undefined,
  connection: OpenConnection | undefined,
): ReturnType<ClusterConnections['at']> {
  if (!opened || !connection) return undefined;
  return {
    ...connection,
    known: opened.known,
    outgrown: opened.outgrown,
    unlisted: opened.unlisted,
    unreachable: opened.isUnreachable,
    failure: opened.target.reach.failure,
    guard: opened.guard,
  };
}
