import type { ControllerSettings } from '../../schemas/config/controller.ts';
import type { RunningDriver } from '../drivers/sdk/driver.ts';
import { findHost } from '../nodes/host.ts';
import { Api, type Most } from '../runtime/client/api.ts';
import type { Connection } from '../runtime/client/connection.ts';
import { Events } from '../runtime/events/events.ts';
import { OpenShare } from '../runtime/fairness/openshare.ts';
import { tokenBucket } from '../runtime/fairness/rate.ts';
import type { Reach } from '../runtime/health/probe.ts';
import { namespaces } from '../runtime/k8s/core.ts';
import { CacheRoom, type ClusterRoom } from '../runtime/memory/cacheroom.ts';
import { resyncEvery } from '../runtime/queue/loop.ts';
import { Queue } from '../runtime/queue/queue.ts';
import { type Gates, gatesOf } from '../safety/outage/gate.ts';
import { type Caches, fillCaches, makeCaches } from '../state/caches.ts';
import type { LoopParts, Process } from '../state/deps.ts';
import { flowsOf, levelOf } from '../state/fairshares.ts';
import { SLOW_LOOK_MS } from '../state/gathering.ts';
import { Urgency } from '../state/urgency.ts';
import { addEventHandlers, addTargetEventHandlers, enqueueMachines, type Queues, resync } from '../state/watches.ts';
import { answerBounds, cacheBounds, memoryOf } from '../targets/caches.ts';
import { TargetCluster } from '../targets/cluster.ts';
import { callsPerTarget, TargetPool } from '../targets/pool.ts';
import { type Followed, reachControl, reachTarget } from '../targets/probe.ts';
import { loops } from './controllers.ts';

/** How API servers know the program: in their logs, and beside each field that it wrote. */
const NAME = 'drover-controller';

/** How long a target may take for an answer, milliseconds: workers wait for it that others need. */
const TARGET_ANSWER_MS = 10_000;

/** Objects of one kind that are kept of the target of a Cluster: more than Kubernetes is made for (150,000 pods). */
const MOST_OBJECTS = 200_000;

/** How long the start waits for drivers, milliseconds: the cloud of one may be unreachable, and the others have work. */
const DRIVERS_MS = 10_000;

/** Ends of a run that others look at. */
export interface Running {
  /** Every loop has ended: no more is written. */
  ended: Promise<void>;
}

/**
 * Fills the caches, starts the drivers and then the loops. A new leader lists everything anew, so that no decision rests on what a standby
 * saw late.
 * @param from what clocks count from, unless an outage ends later (gate.ts); 0 if somebody looked until now
 */
export async function start(process: Process, signal: AbortSignal, from = process.clock.now()): Promise<Running> {
  const { settings, clock, random, log, metrics, connections } = process;
  const api = apiOf(process, connections.control, 'limited');
  const incarnation = settings.installationId || (await uidOfCluster(api, signal));
  const host = await findHost({ ...settings, api, log }, signal);
  const caches = makeCaches(log);
  const queues = makeQueues(process, caches);
  addEventHandlers(caches, queues);
  const probing = { api: apiOf(process, connections.control, 'vital'), from, signal };
  const reach = reachControl(process, { ...probing, name: 'control' });
  reach.need(caches.machines, caches.sets, caches.deployments);
  reach.renewsToo(caches.classes, caches.secrets, caches.clusters, caches.drainRules);
  const feed = { clock, random, log, metrics, signal, ...(settings.namespace && { namespace: settings.namespace }) };
  const opening = { api, reach, caches, queues, incarnation, from, signal };
  const targets = openTargets(process, opening);
  await Promise.all([fillCaches(caches, api, feed), reach.settled]);
  const drivers = process.makeDrivers({ ...process, targets, control: api, ...driversOf(settings) });
  queues.urgency.serve(drivers);
  await startDrivers(process, drivers, signal);
  const events = eventsOf(process);
  const told = events.run(signal);
  void resyncEvery(settings.minResyncPeriod, { clock, signal }, () => resync(caches, queues));
  const gates = gatesFor(process, reach, targets);
  const ended = loops({
    ...process,
    host,
    api,
    reach,
    gates,
    caches,
    queues,
    targets,
    openCluster: clusterOpener(process, opening, targets),
    drivers,
    events,
    incarnation,
    signal,
  });
  log.info('started', { namespace: settings.namespace || 'all', incarnation, drivers: [...drivers.keys()] });
  return { ended: Promise.all([ended, told]).then(() => {}) };
}

/** What tells a cluster from others as long as nobody moves or restores it. */
const uidOfCluster = async (api: Api, signal: AbortSignal): Promise<string> =>
  (await api.get(namespaces, { name: 'kube-system' }, { signal })).metadata.uid ?? '';

const gatesFor = ({ clock, settings }: Process, control: Reach, targets: TargetPool): Gates =>
  gatesOf({
    control,
    targets,
    followed: (object) => targets.followed(object),
    clock,
    unreachableAfterMs: settings.machineSafetyApiserverStatuscheckTimeout,
  });

const driversOf = ({ virtualStore, drivers: wanted }: ControllerSettings) => ({ virtualStore, wanted });

function makeQueues({ clock }: Process, caches: Caches): Queues {
  const flows = flowsOf(caches);
  return {
    machines: new Queue({ clock, levelOf, flowOf: flows.machine }),
    sets: new Queue({ clock, levelOf, flowOf: flows.set, slowMs: SLOW_LOOK_MS }),
    deployments: new Queue({ clock, levelOf, flowOf: flows.deployment, slowMs: SLOW_LOOK_MS }),
    urgency: new Urgency(caches.classes),
  };
}

/** Starts all drivers; one that is not ready in time gets ready while the others work. */
async function startDrivers(
  { clock, log }: Process,
  drivers: ReadonlyMap<string, RunningDriver>,
  signal: AbortSignal,
): Promise<void> {
  const enough = new AbortController();
  const late = clock.sleep(DRIVERS_MS, enough.signal).then(
    () => true,
    () => false,
  );
  const starting = [...drivers].map(async ([driver, running]) => {
    const started = running.start(signal);
    const isLate = await Promise.race([started.then(() => false), late]);
    if (isLate) started.catch((error) => log.error('a driver did not start', { driver, error }));
  });
  await Promise.all(starting).finally(() => enough.abort());
}

/**
 * A client of a cluster. Events and leases have a client of their own, so that they are not queued behind other requests. Vital requests
 * use no pooled connections either: many of those in the pool may be dead.
 */
export function apiOf(
  { settings, clock, metrics, log }: Process,
  connection: Connection,
  rate: 'limited' | 'free' | 'vital',
): Api {
  const { kubeApiQps: qps, kubeApiBurst: burst } = settings;
  const limiter = rate === 'limited' ? { limiter: tokenBucket({ clock, levelOf, qps, burst }) } : {};
  const ownConnections = rate === 'vital';
  return new Api({ connection, clock, metrics, log, userAgent: NAME, fieldManager: NAME, ownConnections, ...limiter });
}

/** What the targets of one term of leadership are opened with. */
interface TargetsParts {
  api: Api;
  /** The control API server. */
  reach: Reach;
  caches: Caches;
  queues: Queues;
  incarnation: string;
  from: number;
  signal: AbortSignal;
}

/** The targets: at first the default one. Nothing waits for a target: an unreachable cluster holds up no other. */
function openTargets(process: Process, opening: TargetsParts): TargetPool {
  const { api, reach, caches, queues, from, signal } = opening;
  const pool = new TargetPool({ clusters: caches.clusters, clock: process.clock });
  pool.follow((opened) => addTargetEventHandlers(opened, caches, queues), signal);
  const { control, target } = process.connections;
  if (!target) return pool;
  const connect: Connect = (connection, until) =>
    target === control
      ? { api, reach, shared: true }
      : connectTo(process, { name: 'default', connection, from, signal: until }, pool);
  pool.add('', new TargetCluster(process, { ...common(process, opening), connection: target, connect }));
  return pool;
}

/** Opens the target of a Cluster; what is known of it begins now. */
function clusterOpener(process: Process, opening: TargetsParts, targets: TargetPool): LoopParts['openCluster'] {
  const memory = memoryOf(globalThis.process);
  const rooms = new CacheRoom(cacheBounds(process.settings, memory));
  const reading = new CacheRoom(answerBounds(process.settings, memory));
  return ({ metadata: { namespace = '', name } }, connection) => {
    const room = rooms.open(namespace);
    const underway = reading.open(namespace);
    const most = { objects: MOST_OBJECTS, bytes: process.settings.clusterCacheMib << 20 };
    const cluster = { namespace, name };
    const connect: Connect = (way, signal) =>
      connectTo(
        process,
        { name: `${namespace}/${name}`, connection: way, most, room, underway, from: process.clock.now(), signal },
        targets,
      );
    return new TargetCluster(process, { ...common(process, opening), cluster, connection, connect, most, room });
  };
}

/** What all targets are opened with. */
const common = ({ settings: { namespace } }: Process, { caches, queues, incarnation, signal }: TargetsParts) => ({
  incarnation,
  namespace,
  signal,
  silenceChanged: (nodeKey: string) => enqueueMachines(queues, caches.machines.by('node', nodeKey)),
});

type Connect = ConstructorParameters<typeof TargetCluster>[1]['connect'];

/** What a target is connected with; without bounds for one of the operator. */
interface Connecting extends Omit<Followed, 'api'> {
  connection: Connection;
  most?: Most;
  room?: ClusterRoom;
  /** Where what comes of its answers counts until they are whole. */
  underway?: ClusterRoom;
}

/** A client of a target with a limiter and a share of open requests of its own, and one for probes, which wait for nobody. */
function connectTo(
  process: Process,
  { connection, most, room, underway, ...followed }: Connecting,
  targets: Pick<TargetPool, 'count'>,
): ReturnType<Connect> {
  const { settings, clock, metrics, log } = process;
  const common = {
    connection,
    clock,
    metrics,
    log,
    userAgent: NAME,
    fieldManager: NAME,
    server: followed.name,
    underway,
  };
  const probes = new Api({ ...common, ownConnections: true });
  const sharing = { clock, levelOf };
  const limiter = tokenBucket({ ...sharing, qps: settings.kubeApiQps, burst: settings.kubeApiBurst });
  const calls = () => callsPerTarget(targets.count, globalThis.process.env['BUN_CONFIG_MAX_HTTP_REQUESTS']);
  const share = new OpenShare({ ...sharing, most: calls });
  const lists = new OpenShare({ clock, most: () => 1 });
  const api = new Api({ ...common, limiter, share, lists, most, room, answerMs: TARGET_ANSWER_MS });
  const forget = () => [api, probes].map((one) => one.forget());
  followed.signal.addEventListener('abort', forget, { once: true });
  return { api, reach: reachTarget(process, { ...followed, api: probes }) };
}

function eventsOf(process: Process): Events {
  const { connections, clock, random, log, metrics, identity } = process;
  const api = apiOf(process, connections.control, 'free');
  return new Events({ api, clock, random, log, metrics, controller: 'drover.dev/controller', instance: identity });
}
