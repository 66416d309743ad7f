import type { Clock } from '../../controller/runtime/clock.ts';
import { OpenShare } from '../../controller/runtime/fairness/openshare.ts';
import { tokenBucket } from '../../controller/runtime/fairness/rate.ts';
import type { Asker } from '../../controller/runtime/fairness/sharing.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Log } from '../../controller/runtime/observability/log.ts';
import { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache, type WatchParts } from '../../controller/runtime/watch/watch.ts';
import type { Cluster } from '../../schemas/cluster.ts';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { type MachineSet, machineSetKind } from '../../schemas/machineset.ts';
import { clusterOf } from '../../schemas/rules/cluster.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Providers } from '../providers/provider.ts';
import { type Existence, type LookUp, NotYetKnown } from './context.ts';

/** What rules look up of the cluster, kept by watches: no rule asks the API server. */
export interface Caches {
  classes: Cache<MachineClass>;
  /** Their names, classes and Clusters, and what keeps those that leave. Indexes: `class` and `cluster` (namespace/name). */
  machines: Cache<Machine>;
  /** Index: `namespace`. */
  sets: Cache<MachineSet>;
  deployments: Cache<MachineDeployment>;
  /** Not served where the kind is not installed. */
  clusters: Cache<Cluster>;
}

/** Caches that are still empty. */
export const makeCaches = (log: Log): Caches => ({
  classes: new Cache<MachineClass>({ log }),
  machines: new Cache<Machine>({ log, indexes: { class: classKeys, cluster: clusterKeys }, keep: nameAndClass }),
  sets: new Cache<MachineSet>({ log, indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] } }),
  deployments: new Cache<MachineDeployment>({ log }),
  clusters: new Cache<Cluster>({ log }),
});

const classKeys = ({ metadata, spec }: Machine): string[] => {
  const name = spec?.class?.name;
  return name ? [`${metadata.namespace}/${name}`] : [];
};

const clusterKeys = ({ metadata }: Machine): string[] => {
  const name = clusterOf(metadata.labels);
  return name ? [`${metadata.namespace}/${name}`] : [];
};

/** They are many, and nothing else of them is looked up. */
const nameAndClass = ({ metadata, spec }: Machine): Machine => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers } = metadata;
  const cluster = clusterOf(metadata.labels);
  const labels = cluster === undefined ? {} : { labels: { [LABEL_CLUSTER]: cluster } };
  const end = deletionTimestamp === undefined ? {} : { deletionTimestamp, finalizers };
  return { metadata: { name, namespace, uid, resourceVersion, ...labels, ...end }, spec: { class: spec?.class } };
};

/** Fills the caches and keeps them equal to the cluster until the signal aborts. */
export function followCluster(caches: Caches, feed: Omit<WatchParts<never>, 'resource'>): void {
  void runCache({ ...feed, resource: resources.machineClasses, cache: caches.classes });
  void runCache({ ...feed, resource: resources.machines, cache: caches.machines });
  void runCache({ ...feed, resource: resources.machineSets, cache: caches.sets });
  void runCache({ ...feed, resource: resources.machineDeployments, cache: caches.deployments });
  void runCache({ ...feed, resource: resources.clusters, cache: caches.clusters, mayBeAbsent: true });
}

/** Names what is not filled yet; undefined once all of it is. */
export function missingIn(caches: Caches): string | undefined {
  const missing = Object.entries(caches).filter(([, { synced }]: [string, { synced: boolean }]) => !synced);
  return missing.length === 0 ? undefined : `the list of ${missing.map(([name]) => name).join(', ')} is not in yet`;
}

interface LookUpParts {
  caches: Caches;
  providers: Providers;
  clock: Clock;
}

/** Looks facts up in the caches; each throws NotYetKnown until the cache that it needs is filled. */
export function createLookUp({ caches, providers, clock }: LookUpParts): LookUp {
  const drivers = [...providers.keys()];
  return (namespace) => ({
    drivers,
    now: clock.now(),
    machineClass: (name) => filled(caches.classes).get(`${namespace}/${name}`),
    machinesOf: (name) => needing(filled(caches.machines).by('class', `${namespace}/${name}`)),
    isMachine: (name) => filled(caches.machines).get(`${namespace}/${name}`) !== undefined,
    machinesIn: (name) => needing(filled(caches.machines).by('cluster', `${namespace}/${name}`)),
    cluster: (name) => existenceOf(filled(caches.clusters), `${namespace}/${name}`),
    sets: () => filled(caches.sets).by('namespace', namespace),
    templated(kind, name) {
      const key = `${namespace}/${name}`;
      return kind === machineSetKind.kind ? filled(caches.sets).get(key) : filled(caches.deployments).get(key);
    },
    provider: (name) => providers.get(name),
  });
}

/** Those of which more is left than the object: they need class and Cluster (hack/decisions/0051 U38). */
const needing = (machines: readonly KubeObject[]): KubeObject[] => machines.filter((machine) => !isOnlyKept(machine));

function filled<T extends KubeObject>(cache: Cache<T>): Cache<T> {
  if (!cache.synced) throw new NotYetKnown('what is in the cluster has not been read yet');
  return cache;
}

function existenceOf(clusters: Cache<Cluster>, key: string): Existence {
  if (!clusters.served) return 'unserved';
  const cluster = clusters.get(key);
  if (!cluster) return 'missing';
  return cluster.metadata.deletionTimestamp ? 'terminating' : 'present';
}

/** How long the API server may take, milliseconds: less than its own time-out of a webhook, 5 s. */
const TIMEOUT_MS = 3_000;

/** Questions per second and at once, beside all other requests: who makes many up has none of theirs answered sooner. */
const PACE = { qps: 200, burst: 400 };
const MOST_AT_ONCE = 32;

/** Puts a question to the API server in the asker's turn. Rejects with its error, and when there was no answer in time. */
export type Asking = <T>(asker: Asker, question: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** For questions of one sort that reviews make the webhook ask: in turns, so many at once, and not for ever. */
export function createAsking(clock: Clock): Asking {
  const fair = { clock, levelOf: () => 0 };
  const limiter = tokenBucket({ ...fair, ...PACE });
  const places = new OpenShare({ ...fair, most: () => MOST_AT_ONCE });
  return async (asker, question) => {
    const timeout = new AbortController();
    const { signal } = timeout;
    let leave: (() => void) | undefined;
    const cancel = clock.after(TIMEOUT_MS, () => timeout.abort(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    try {
      // A place before a token: tokens that are saved up are then there for whoever comes next, not spent on a line.
      leave = await places.enter(signal, asker);
      await limiter.take(signal, asker);
      return await question(signal);
    } finally {
      leave?.();
      cancel();
    }
  };
}
