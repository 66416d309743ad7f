import { resources } from '../schemas/kinds.ts';
import type { Caches } from './caches.ts';
import type { DriverError } from './codes.ts';
import type { Driver } from './driver.ts';
import { Journal } from './journal.ts';
import { Calls } from './machine/calls.ts';
import { type MachineParts, reconcileMachine } from './machine/controller.ts';
import { DriverCalls } from './machine/drivercalls.ts';
import { events as machineEvents } from './machine/events.ts';
import { Refusals } from './machine/refusals.ts';
import { Updates } from './machine/updates.ts';
import { reconcileMachineDeployment } from './machinedeployment/controller.ts';
import { MachineSetController } from './machineset/controller.ts';
import { defaults } from './priority.ts';
import { type Api, isConflict } from './runtime/api.ts';
import type { Events } from './runtime/events.ts';
import { type LoopOptions, type Result, runLoop } from './runtime/loop.ts';
import type { Process } from './start.ts';
import { oneTarget, type Target } from './targets.ts';
import { machineLimits, makeTokens, runTokens } from './tokenloop.ts';
import { priorityOfMachine, type Queues } from './triggers.ts';

/** What the loops of one term of leadership share. */
export interface LoopParts extends Process {
  api: Api;
  caches: Caches;
  queues: Queues;
  target: Target | undefined;
  drivers: ReadonlyMap<string, Driver>;
  events: Events;
  incarnation: string;
  signal: AbortSignal;
}

type Reconciler = Pick<LoopOptions, 'queue' | 'reconcile' | 'priorityOf'>;

/** Runs the reconcilers that `--controllers` picks; resolves once all have ended. */
export async function loops(parts: LoopParts): Promise<void> {
  const { settings, clock, random, log, metrics, signal } = parts;
  const all: Record<ControllerName, (parts: LoopParts) => Reconciler> = { machine, machineset, machinedeployment };
  const running = settings.controllers.map((name) => {
    const { reconcile, ...rest } = all[name](parts);
    const calm = (key: string, over: AbortSignal) => reconcile(key, over).catch(retryConflicts);
    return runLoop({
      name,
      workers: settings.concurrentSyncs,
      clock,
      random,
      log,
      metrics,
      signal,
      ...rest,
      reconcile: calm,
    });
  });
  const tokens = settings.controllers.includes('machine') ? runTokens(parts) : undefined;
  await Promise.all([...running, tokens]);
}

type ControllerName = LoopParts['settings']['controllers'][number];

/** Somebody else wrote first: no error, the next look sees what it was. */
function retryConflicts(error: unknown): Result {
  if (isConflict(error)) return { retry: true };
  throw error;
}

function machine(parts: LoopParts): Reconciler {
  const { caches, queues, settings, api, drivers, incarnation, clock, random, log } = parts;
  const limits = {
    updateMachine: settings.maxConcurrentUpdates,
    createMachine: settings.maxConcurrentCreates,
    deleteMachine: settings.maxConcurrentDeletes,
    exhaustedRetryMs: settings.resourceExhaustedRetry,
  };
  const priorityOf = (key: string) => priorityOfMachine(caches.machines, key);
  const wake = (key: string) => queues.machines.add(key, { priority: priorityOf(key) });
  const calls = new Calls({ clock, random, log, limits, wake });
  const refusals = new Refusals();
  const failed = tellOfFailure(parts);
  const updates = new Updates({ clock, random, log, limits, wake, drivers, failed });
  caches.machines.onChange(({ before, after }) => {
    const gone = before && before.metadata.uid !== after?.metadata.uid ? before.metadata.uid : undefined;
    if (gone === undefined) return;
    calls.forget(gone);
    refusals.forget(gone);
    updates.forget(gone);
  });
  const tokens = makeTokens(parts);
  const machineParts: MachineParts = {
    ...parts,
    ...caches,
    calls,
    journal: new Journal({ ...parts, kind: 'machine' }),
    refusals,
    tokens,
    updates,
    driverCalls: new DriverCalls({ calls, updates, secrets: caches.secrets, drivers, tokens, incarnation }),
    targets: oneTarget(parts.target),
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
    limits: machineLimits(settings),
  };
  return { queue: queues.machines, priorityOf, reconcile: (key) => reconcileMachine(machineParts, key) };
}

/** Records an event on the Machine whose update a driver failed. */
const tellOfFailure =
  ({ caches, events }: LoopParts) =>
  (key: string, { code, message }: DriverError): void => {
    const found = caches.machines.get(key);
    const { type, says } = machineEvents.HotUpdateFailed;
    if (found) events.record(found, { type, reason: 'HotUpdateFailed', note: `${says} ${code}: ${message}` });
  };

function machineset(parts: LoopParts): Reconciler {
  const { caches, queues, api } = parts;
  const controller = new MachineSetController({
    ...parts,
    ...caches,
    journal: new Journal({ ...parts, kind: 'machineSet' }),
    targets: oneTarget(parts.target),
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
    machineWrites: { api, resource: resources.machines, cache: caches.machines },
  });
  return { queue: queues.sets, priorityOf: () => defaults.generic, reconcile: (key) => controller.reconcile(key) };
}

function machinedeployment(parts: LoopParts): Reconciler {
  const { caches, queues, api } = parts;
  const deploymentParts = {
    ...parts,
    ...caches,
    journal: new Journal({ ...parts, kind: 'machineDeployment' }),
    deploymentWrites: { api, resource: resources.machineDeployments, cache: caches.deployments },
    setWrites: { api, resource: resources.machineSets, cache: caches.sets },
  };
  const reconcile = (key: string) => reconcileMachineDeployment(deploymentParts, key);
  return { queue: queues.deployments, priorityOf: () => defaults.generic, reconcile };
}
