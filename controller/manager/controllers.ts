import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { isSame } from '../../schemas/same.ts';
import { runClusters } from '../cluster/setup.ts';
import { countDrainCall, drainCollector } from '../drain/metrics.ts';
import { Drains } from '../drain/tracker.ts';
import type { DriverError } from '../drivers/sdk/errors.ts';
import { defaults } from '../flow/priority.ts';
import { RefusedChildren, Repeats } from '../flow/refusals.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { collectOnScrape } from '../framework/objectmetrics.ts';
import { unlessGone } from '../framework/writer.ts';
import { makeTokens, runTokens } from '../machine/bootstrap/setup.ts';
import { type CallEnd, InFlightCalls, type InFlightCallsOptions } from '../machine/calls/inflight.ts';
import { DriverCalls } from '../machine/calls/requests.ts';
import { Updates } from '../machine/calls/updates.ts';
import { reconcileMachine } from '../machine/controller.ts';
import type { MachineParts } from '../machine/deps.ts';
import { machineLimits } from '../machine/flow/limits.ts';
import { Permits } from '../machine/flow/replacementbudget.ts';
import { RefusedWrites } from '../machine/flow/writefailures.ts';
import { machineCollector } from '../machine/metrics.ts';
import { Meter } from '../machine/recorder.ts';
import { events as machineEvents } from '../machine/status/events.ts';
import { runClasses } from '../machineclass/setup.ts';
import { reconcileMachineDeployment } from '../machinedeployment/controller.ts';
import { RefusedNodes } from '../machinedeployment/flow/rolloutnodes.ts';
import { machineDeploymentCollector } from '../machinedeployment/metrics.ts';
import { MachineSetController } from '../machineset/controller.ts';
import { machineSetCollector } from '../machineset/metrics.ts';
import { HotFields } from '../model/template.ts';
import type { Api } from '../runtime/client/api.ts';
import type { Sharing } from '../runtime/fairness/sharing.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { type LoopOptions, retryConflicts, runLoop } from '../runtime/queue/loop.ts';
import { Census, placeOf } from '../safety/meltdown/census.ts';
import { censusCollector } from '../safety/meltdown/metrics.ts';
import { Orphans } from '../safety/orphans/setup.ts';
import { outageCollector } from '../safety/outage/metrics.ts';
import { Births } from '../state/births.ts';
import type { LoopParts } from '../state/deps.ts';
import { flowsOf, levelOf } from '../state/fairshares.ts';
import { enqueueAll, priorityOfMachine } from '../state/watches.ts';
import { targetLanes } from '../targets/pool.ts';

/** What sets and deployments share beside. */
type TermParts = LoopParts & { births: Births };

type Reconciler = Pick<LoopOptions, 'queue' | 'reconcile' | 'priorityOf'> & {
  /** Runs beside it until the signal aborts. */
  beside?: () => Promise<unknown>;
};

/** Runs the reconcilers that `--controllers` picks; resolves once all have ended. */
export async function loops(parts: LoopParts): Promise<void> {
  const { settings, clock, random, log, metrics, signal } = parts;
  parts.reach.onChange(() => enqueueAll(parts.caches, parts.queues));
  const births = new Births({ machines: parts.caches.machines, clock });
  const all: Record<ControllerName, (parts: TermParts) => Reconciler> = { machine, machineset, machinedeployment };
  const running = settings.controllers.map((name) => {
    const { reconcile, beside, ...rest } = all[name]({ ...parts, births });
    const calm = (key: string, over: AbortSignal) => reconcile(key, over).catch(retryConflicts);
    const workers = settings.concurrentSyncs;
    const options = { name, workers, clock, random, log, metrics, signal, watchedBy: parts.vitals };
    const loop = runLoop({ ...options, ...rest, reconcile: calm });
    return Promise.all([loop, beside?.()]);
  });
  const beside = settings.controllers.includes('machine') ? [runClasses(parts)] : [];
  await Promise.all([...running, ...beside, runClusters(parts)]);
}

type ControllerName = LoopParts['settings']['controllers'][number];

function machine(parts: LoopParts): Reconciler {
  const { caches, queues, settings, api, drivers, incarnation } = parts;
  const priorityOf = (key: string) => priorityOfMachine(caches, queues, key);
  const { machine: flowOf } = flowsOf(caches);
  const enqueue = (key: string) => queues.machines.add(key, { priority: priorityOf(key) });
  const sharing: Sharing = { levelOf, askerOf: (key) => ({ priority: priorityOf(key), flow: flowOf(key) }) };
  const { orphans, ...memories } = machineMemories(parts, { enqueue, sharing });
  const machineParts: MachineParts = {
    ...parts,
    ...caches,
    ...memories,
    decisionLog: new DecisionLog({ ...parts, kind: 'machine' }),
    driverCalls: new DriverCalls({
      ...memories,
      secrets: caches.secrets,
      drivers,
      incarnation,
      formerIds: settings.formerInstallationIds,
      lookUp: liveMachine(api),
    }),
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
    classWrites: { api, resource: resources.machineClasses, cache: caches.classes },
    // Whoever else looks after deployments says for itself what rollouts do.
    disablesScaleDown:
      settings.autoscalerScaledownAnnotationDuringRollout && settings.controllers.includes('machinedeployment'),
    permits: new Permits(),
    urgency: queues.urgency,
    lanes: targetLanes(parts, { enqueue, sharing }),
    census: makeCensus(parts),
    limits: machineLimits(settings),
    formerIds: settings.formerInstallationIds,
    namespace: settings.namespace,
  };
  const reconcile = (key: string) => reconcileMachine(machineParts, key);
  const beside = () => Promise.all([orphans.run(), runTokens(parts, memories.tokens)]);
  return { queue: queues.machines, priorityOf, reconcile, beside };
}

const liveMachine = (api: Api) => (machine: Machine) => unlessGone(api.get(resources.machines, machine.metadata));

function outages({ reach, targets, clock, settings }: LoopParts) {
  const limits = { now: () => clock.now(), unreachableAfterMs: settings.machineSafetyApiserverStatuscheckTimeout };
  const others = () => [...targets.entries()].filter(([, target]) => target.reach !== reach);
  const facts = () => others().map(([key, target]) => [key || 'target', target.reach.fact()] as const);
  return outageCollector(() => [['control', reach.fact()], ...facts()], limits);
}

/** Counts the machines that are unhealthy, by target cluster and zone. */
function makeCensus(parts: LoopParts): Census {
  const { caches, settings, targets } = parts;
  const limits = { outagePercent: settings.unhealthyZoneThreshold, budget: settings.zoneReplacementBudget };
  const place = (one: Machine) => placeOf({ ...caches, targets }, one);
  const census = new Census({ ...parts, ...caches, limits, placeOf: place });
  collectOnScrape(parts, 'machine', censusCollector(census));
  return census;
}

/** What is remembered of Machines until they are gone, and measured of it. */
function machineMemories(parts: LoopParts, enqueued: Pick<InFlightCallsOptions, 'enqueue' | 'sharing'>) {
  const { caches, settings } = parts;
  const limits = {
    updateMachine: settings.maxConcurrentUpdates,
    createMachine: settings.maxConcurrentCreates,
    deleteMachine: settings.maxConcurrentDeletes,
    driverCalls: settings.maxDriverCalls,
    isShared: settings.namespace === '',
    exhaustedRetryMs: settings.resourceExhaustedRetry,
  };
  const meter = new Meter({ ...parts, ...caches });
  const isCreating = (uid: string) => calls.inFlight(uid) === 'createMachine';
  const orphans = new Orphans(parts, { isCreating, gates: parts.gates });
  const ended = (end: CallEnd) => {
    meter.callEnded(end);
    orphans.callEnded(end);
    tokens.callEnded(end.call.uid);
  };
  const options = { ...parts, limits, ...enqueued, ended };
  const calls = new InFlightCalls(options);
  const updates = new Updates({ ...options, failed: tellOfFailure(parts) });
  const drains = makeDrains(parts);
  const refusals = new RefusedWrites();
  const tokens = makeTokens(parts, {
    isAwaited: (uid) => calls.hasVmOrMakes(uid),
    bornAt: (uid) => updates.bornAt(uid),
  });
  collectOnScrape(parts, 'machine', machineCollector({ ...caches, callers: [calls, updates] }));
  collectOnScrape(parts, 'machine', outages(parts));
  caches.machines.onChange(({ before, after }) => {
    if (before?.metadata.uid === after?.metadata.uid) return;
    if (after) updates.born(after.metadata.uid ?? '');
    const gone = before?.metadata.uid;
    if (gone === undefined) return;
    for (const memory of [calls, drains, refusals, tokens, updates]) memory.forget(gone);
  });
  return { calls, drains, updates, refusals, tokens, meter, orphans };
}

/** Drains of the targets' Nodes; pods and volumes that move enqueue their Machines. */
function makeDrains(parts: LoopParts): Drains {
  const { caches, queues, targets, clock, random, log, metrics, signal } = parts;
  const enqueue = (key: string, after: number) =>
    queues.machines.add(key, { priority: priorityOfMachine(caches, queues, key), after });
  const drains = new Drains({ clock, random, log, enqueue, ended: (end) => countDrainCall(metrics, end) });
  targets.follow(({ target }) => drains.follow(target), signal);
  collectOnScrape(parts, 'machine', drainCollector(drains));
  followRules(caches, drains);
  return drains;
}

/** Rules that change, and labels of Clusters, count in drains that are under way. */
function followRules({ drainRules, clusters }: LoopParts['caches'], drains: Drains): void {
  const changed = ({ metadata }: KubeObject) => drains.enqueueNamespace(metadata.namespace ?? '');
  drainRules.onChange(({ before, after, initial }) => {
    const one = after ?? before;
    if (one && !initial) changed(one);
  });
  clusters.onChange(({ before, after }) => {
    if (before && after && !isSame(before.metadata.labels, after.metadata.labels)) changed(after);
  });
}

/** Records an event on the Machine whose update a driver failed. */
const tellOfFailure =
  ({ caches, events }: LoopParts) =>
  (key: string, { code, message }: DriverError): void => {
    const found = caches.machines.get(key);
    const { type, help } = machineEvents.VMUpdateFailed;
    if (found) events.record(found, { type, reason: 'VMUpdateFailed', note: `${help} ${code}: ${message}` });
  };

function machineset(parts: TermParts): Reconciler {
  const { caches, queues, api, settings } = parts;
  const { safetyUp: up, safetyDown: down, machineSafetyOvershootingPeriod: periodMs } = settings;
  collectOnScrape(parts, 'machineset', machineSetCollector(caches));
  const controller = new MachineSetController({
    ...parts,
    ...caches,
    decisionLog: new DecisionLog({ ...parts, kind: 'machineSet' }),
    hotFields: new HotFields(parts.drivers),
    overshoot: { up, down, periodMs },
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  });
  return { queue: queues.sets, priorityOf: () => defaults.generic, reconcile: (key) => controller.reconcile(key) };
}

function machinedeployment(parts: TermParts): Reconciler {
  const { caches, queues, api } = parts;
  collectOnScrape(parts, 'machinedeployment', machineDeploymentCollector(caches));
  const enqueue = (key: string) => queues.deployments.add(key, { priority: defaults.generic });
  const { deployment: flowOf } = flowsOf(caches);
  const sharing: Sharing = { levelOf, askerOf: (key) => ({ priority: defaults.generic, flow: flowOf(key) }) };
  const deploymentParts = {
    ...parts,
    ...caches,
    lanes: targetLanes(parts, { enqueue, sharing }),
    decisionLog: new DecisionLog({ ...parts, kind: 'machineDeployment' }),
    refusedNodes: new RefusedNodes(),
    repeats: new Repeats(),
    refusals: new RefusedChildren(),
    disablesScaleDown: parts.settings.autoscalerScaledownAnnotationDuringRollout,
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
    deploymentWrites: { api, resource: resources.machineDeployments, cache: caches.deployments },
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
  };
  const reconcile = (key: string) => reconcileMachineDeployment(deploymentParts, key);
  return { queue: queues.deployments, priorityOf: () => defaults.generic, reconcile };
}
