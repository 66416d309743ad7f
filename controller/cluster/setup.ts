import type { Cluster } from '../../schemas/cluster.ts';
import { resources } from '../../schemas/kinds.ts';
import { defaults } from '../flow/priority.ts';
import { Repeats } from '../flow/repeats.ts';
import { Journal } from '../framework/decisionlog.ts';
import { collectOnScrape } from '../framework/objectmetrics.ts';
import { clusterKeyOf } from '../model/target.ts';
import type { Connection } from '../runtime/client/connection.ts';
import { environmentProxies } from '../runtime/client/proxies.ts';
import { sameCluster } from '../runtime/client/samecluster.ts';
import { trustIn } from '../runtime/dns/embedded.ts';
import { systemResolve } from '../runtime/dns/resolve.ts';
import { asProgram } from '../runtime/fairness/asking.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import { retryConflicts, runLoop } from '../runtime/queue/loop.ts';
import { Queue } from '../runtime/queue/queue.ts';
import type { LoopParts } from '../state/deps.ts';
import { flowOfKey } from '../state/flows.ts';
import { wakeCluster } from '../state/watches.ts';
import type { OpenedTarget } from '../targets/cluster.ts';
import { requestsComplaint, roomFor } from '../targets/pool.ts';
import { reconcileCluster } from './controller.ts';
import { Kubeconfigs } from './kubeconfigs.ts';
import { clusterCollector } from './metrics.ts';
import type { Ways } from './observe.ts';

/** Few are looked at at a time: no look waits for a target. */
const WORKERS = 2;

/** How long a count waits for more machines to come or go, milliseconds. */
const GATHER_MS = 500;

/** Looks at a Cluster when it, its kubeconfig, its machines or its standing may have changed, and at all now and then. */
export async function runClusters(parts: LoopParts): Promise<void> {
  const { clock, caches, api, targets, settings } = parts;
  const queue = new Queue({ clock, flowOf: flowOfKey });
  const wake = (key: string, after = 0) => queue.add(key, { priority: defaults.generic, after });
  follow(parts, wake);
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
    ways: waysOf(parts, wake),
    kubeconfigs: new Kubeconfigs({ secrets: caches.secrets, judging }),
    clusterWrites: { api, resource: resources.clusters, cache: caches.clusters },
    journal: new Journal({ ...parts, kind: 'cluster' }),
    repeats: new Repeats(),
  };
  const reconcile = (key: string) => reconcileCluster(clusterParts, key).catch(retryConflicts);
  await runLoop({ ...parts, name: 'cluster', workers: WORKERS, queue, priorityOf: () => defaults.generic, reconcile });
}

function follow(parts: LoopParts, wake: (key: string, after?: number) => void): void {
  const { caches, targets, reach, log, signal } = parts;
  const wakeAll = () => {
    for (const cluster of caches.clusters.list()) wake(keyOf(cluster));
  };
  wakeAll();
  caches.clusters.onChange(({ key }) => wake(key));
  caches.secrets.onChange(({ key }) => {
    for (const cluster of caches.clusters.by('secret', key)) wake(keyOf(cluster));
  });
  caches.machines.onChange(({ before, after }) => {
    const [was, is] = [before && clusterKeyOf(before), after && clusterKeyOf(after)];
    if (was !== is) for (const key of [was, is]) if (key) wake(key, GATHER_MS);
  });
  reach.onChange(wakeAll);
  targets.follow(({ cluster, target, whenKnown, onGuard }) => {
    if (cluster === '') return;
    const complaint = requestsComplaint(targets.count, process.env['BUN_CONFIG_MAX_HTTP_REQUESTS']);
    if (complaint) log.warn(complaint);
    whenKnown().then(
      () => wake(cluster),
      () => {},
    );
    target.reach.settled.then(
      () => wake(cluster),
      () => {},
    );
    target.reach.onChange(() => wake(cluster));
    onGuard(() => wake(cluster));
    const { nodes, pods, attachments, tokens } = target;
    for (const cache of [nodes, pods, attachments, tokens]) cache.sync.onChange(() => wake(cluster));
  }, signal);
  void wakeForEver(parts, wakeAll);
}

async function wakeForEver({ clock, settings, signal }: LoopParts, wakeAll: () => void): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(settings.minResyncPeriod, signal).catch(() => {});
    if (!signal.aborted) wakeAll();
  }
}

/** What a Cluster is reached by. */
interface Way {
  mark: string;
  /** Of the cluster that it leads to, once that is known. */
  uid?: string;
}

/** Connections of Clusters are targets in the pool; what names a Cluster is woken when one comes, changes or goes. */
function waysOf({ targets, caches, queues, openCluster, settings }: LoopParts, wake: (key: string) => void): Ways {
  const ways = new Map<string, Way>();
  return {
    roomIn(namespace) {
      const own = targets.countIn(namespace);
      const limits = { limit: process.env['BUN_CONFIG_MAX_HTTP_REQUESTS'], namespace: settings.namespace };
      return roomFor({ own, others: targets.count - own }, limits);
    },
    at: (key) => wayAt(targets.at(key), ways.get(key)),
    trouble(key, why) {
      if (!targets.at(key) && targets.trouble(key, why)) wakeCluster(caches, queues, key);
    },
    use(cluster: Cluster, { connection, mark }: { connection: Connection; mark: string }) {
      const key = keyOf(cluster);
      const way: Way = { mark };
      const learned = (uid: string) => {
        way.uid = uid;
        wake(key);
      };
      const same = sameCluster(connection, { expected: () => expectedOf(caches, key), learned });
      const opened = targets.at(key);
      // What follows the target outlives this look at its Cluster.
      asProgram(() => {
        if (opened) opened.exchange(same);
        else targets.add(key, openCluster(cluster, same));
      });
      ways.set(key, way);
    },
    close(key) {
      ways.delete(key);
      targets.remove(key);
      wakeCluster(caches, queues, key);
    },
  };
}

/** While nothing names a Cluster it may lead anywhere. */
function expectedOf({ clusters, machines }: LoopParts['caches'], key: string): string | undefined {
  return machines.by('cluster', key).length > 0 ? clusters.get(key)?.status?.targetUID : undefined;
}

function wayAt(opened: OpenedTarget | undefined, way: Way | undefined): ReturnType<Ways['at']> {
  if (!opened || !way) return undefined;
  return {
    ...way,
    known: opened.known,
    outgrown: opened.outgrown,
    unlisted: opened.unlisted,
    away: opened.isAway,
    failure: opened.target.reach.failure,
    guard: opened.guard,
  };
}
