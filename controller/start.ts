import type { ControllerSettings } from '../schemas/config/controller.ts';
import { type Caches, fillCaches, fillNodes, followWorkload, makeCaches } from './caches.ts';
import type { Connections } from './connections.ts';
import type { RunningDriver } from './driver.ts';
import type { DriverParts } from './drivers/index.ts';
import { followHeartbeats, Heartbeats } from './heartbeats.ts';
import { findHost } from './host.ts';
import { loops } from './loops.ts';
import { reachControl, reachTarget } from './reaching.ts';
import { Api } from './runtime/api.ts';
import { Cache } from './runtime/cache.ts';
import type { Clock } from './runtime/clock.ts';
import type { Connection } from './runtime/connection.ts';
import { type Node, namespaces } from './runtime/core.ts';
import { Events } from './runtime/events.ts';
import type { Log } from './runtime/log.ts';
import type { Metrics } from './runtime/metrics.ts';
import { Queue } from './runtime/queue.ts';
import type { Random } from './runtime/random.ts';
import { tokenBucket } from './runtime/rate.ts';
import type { Reach } from './runtime/reach.ts';
import { type Gates, gatesOf } from './safety/gates.ts';
import type { Target } from './targets.ts';
import { followTokens } from './tokenloop.ts';
import { connect, connectNodes, type Queues, resync, wakeMachines } from './triggers.ts';

/** How API servers know the program: in their logs, and beside each field that it wrote. */
const NAME = 'drover-controller';

/** What a controller process is made of. */
export interface Process {
  settings: ControllerSettings;
  connections: Connections;
  clock: Clock;
  random: Random;
  /** Chance that nobody can guess, for secrets. */
  secureRandom: Random;
  log: Log;
  metrics: Metrics;
  /** Which of several replicas this is: unique to the process. */
  identity: string;
  /** Makes the drivers, by the name of the provider that each serves. */
  makeDrivers(parts: DriverParts): ReadonlyMap<string, RunningDriver>;
}

/** Ends of a run that others look at. */
export interface Running {
  /** Every loop has ended: no more is written. */
  ended: Promise<void>;
}

/**
 * Fills the caches, starts the drivers and then the loops. Nothing is known before: whoever begins to lead lists anew,
 * so that no decision rests on what a standby saw late.
 * @param from what clocks count from, unless an outage ends later (gate.ts); 0 if somebody looked until now
 */
export async function start(process: Process, signal: AbortSignal, from = process.clock.now()): Promise<Running> {
  const { settings, clock, random, log, metrics, connections } = process;
  const api = apiOf(process, connections.control, 'limited');
  const incarnation = (await api.get(namespaces, { name: 'kube-system' }, { signal })).metadata.uid ?? '';
  const host = await findHost({ ...settings, api, log }, signal);
  const caches = makeCaches(log);
  const queues = { machines: new Queue({ clock }), sets: new Queue({ clock }), deployments: new Queue({ clock }) };
  connect(caches, queues);
  const probing = { api: apiOf(process, connections.control, 'free'), from, signal };
  const reach = reachControl(process, { ...probing, name: 'control' });
  reach.judgeBy(caches.machines, caches.sets, caches.deployments);
  const feed = { clock, random, log, metrics, signal, ...(settings.namespace && { namespace: settings.namespace }) };
  const target = await openTarget(process, { api, reach, caches, queues, feed, incarnation, from });
  await fillCaches(caches, api, feed);
  await Promise.all([reach.probed, target?.reach.probed]);
  const drivers = process.makeDrivers({ ...process, target, control: api, virtualStore: settings.virtualStore });
  await Promise.all([...drivers.values()].map((driver) => driver.start(signal)));
  const events = eventsOf(process);
  const told = events.run(signal);
  void resyncForEver(process, { caches, queues, signal });
  const gates = gatesFor(process, reach, target);
  const ended = loops({
    ...process,
    host,
    api,
    reach,
    gates,
    caches,
    queues,
    target,
    drivers,
    events,
    incarnation,
    signal,
  });
  log.info('started', { namespace: settings.namespace || 'all', incarnation, drivers: [...drivers.keys()] });
  return { ended: Promise.all([ended, told]).then(() => {}) };
}

const gatesFor = ({ clock, settings }: Process, control: Reach, target: Target | undefined): Gates =>
  gatesOf({ control, targetOf: () => target, clock, awayMs: settings.machineSafetyApiserverStatuscheckTimeout });

/** A client of a cluster; events and leases have one of their own, so that they wait for nobody. */
export function apiOf({ settings, clock, metrics }: Process, connection: Connection, rate: 'limited' | 'free'): Api {
  const { kubeApiQps: qps, kubeApiBurst: burst } = settings;
  const limiter = rate === 'limited' ? { limiter: tokenBucket({ clock, qps, burst }) } : {};
  return new Api({ connection, clock, metrics, userAgent: NAME, fieldManager: NAME, ...limiter });
}

interface Opening {
  api: Api;
  /** The control API server. */
  reach: Reach;
  caches: Caches;
  queues: Queues;
  feed: Parameters<typeof fillNodes>[2];
  incarnation: string;
  from: number;
}

async function openTarget(process: Process, opening: Opening): Promise<Target | undefined> {
  const { api, caches, queues, feed, incarnation } = opening;
  const { control, target } = process.connections;
  if (!target) return undefined;
  const nodes = new Cache<Node>({ log: process.log });
  connectNodes(nodes, caches.machines, queues);
  const targetApi = target === control ? api : apiOf(process, target, 'limited');
  await fillNodes(nodes, targetApi, feed);
  const { namespace } = process.settings;
  const tokens = followTokens(targetApi, { incarnation, namespace }, feed);
  const heartbeats = heartbeatsOf(process, opening);
  if (heartbeats) void followHeartbeats(heartbeats, { ...process, api: targetApi }, feed.signal);
  const reach =
    target === control ? opening.reach : targetReach(process, target, { from: opening.from, signal: feed.signal });
  const workload = followWorkload(targetApi, feed);
  reach.judgeBy(nodes, workload.pods, workload.attachments);
  return { api: targetApi, reach, nodes, heartbeats, tokens, ...workload };
}

function targetReach(process: Process, target: Connection, at: { from: number; signal: AbortSignal }): Reach {
  const api = apiOf(process, target, 'free');
  return reachTarget(process, { name: 'target', api, ...at });
}

/** A Node that falls silent, or is heard again, wakes its Machines. */
function heartbeatsOf({ settings }: Process, { caches, queues }: Opening): Heartbeats | undefined {
  const limitMs = settings.nodeLeaseTimeout;
  const changed = (name: string) => wakeMachines(queues, caches.machines.by('node', name));
  return limitMs > 0 ? new Heartbeats({ limitMs, changed }) : undefined;
}

function eventsOf(process: Process): Events {
  const { connections, clock, random, log, metrics, identity } = process;
  const api = apiOf(process, connections.control, 'free');
  return new Events({ api, clock, random, log, metrics, controller: 'drover.dev/controller', instance: identity });
}

async function resyncForEver(
  { clock, settings }: Process,
  { caches, queues, signal }: { caches: Caches; queues: Queues; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(settings.minResyncPeriod, signal).catch(() => {});
    if (!signal.aborted) resync(caches, queues);
  }
}
