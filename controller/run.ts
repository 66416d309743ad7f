import { hostname, networkInterfaces } from 'node:os';
import { readCommand } from '../schemas/config/commandline.ts';
import { type ControllerSettings, controllerProgram } from '../schemas/config/controller.ts';
import type { Given } from '../schemas/config.ts';
import { drivers as makeDrivers } from './drivers/index.ts';
import { connections } from './framework/connections.ts';
import { leadOnce, type Stage } from './manager/leader.ts';
import { metricTables } from './manager/metrics.ts';
import { systemClock as clock } from './runtime/clock.ts';
import type { Log } from './runtime/observability/log.ts';
import { createMetrics } from './runtime/observability/metrics.ts';
import { type Checks, everyAddress, serve } from './runtime/observability/server.ts';
import { endingOf, obey } from './runtime/program/program.ts';
import { Vitals } from './runtime/program/vitals.ts';
import { systemRandom as random, randomText, secureRandom } from './runtime/random.ts';
import { release } from './runtime/release.ts';
import type { Process } from './state/deps.ts';

/** Runs the controller until it is told to stop (exit code 0), has lost its lease or failed (1). Throws when it cannot start. */
async function main(settings: ControllerSettings, log: Log): Promise<number> {
  const ending = endingOf(process, { log, clock });
  const metrics = createMetrics({ tables: Object.values(metricTables), process: true });
  let stage: Stage = 'standing by';
  const checks: Checks = { caches: () => (stage === 'reading the first lists' ? stage : undefined) };
  const vitals = new Vitals(log);
  const healthy: Checks = { work: () => vitals.wrong() };
  const address = settings.address || everyAddress(networkInterfaces());
  const listener = serve({ port: settings.port, hostname: address, healthy, ready: checks, metrics });
  log.info('listening', { port: listener.port });
  const identity = `${hostname()}_${randomText(random, 10, 'bcdfghjklmnpqrstvwxz0123456789')}`;
  const reached = await connections(settings);
  const given = { settings, connections: reached, clock, random, secureRandom, log, metrics, vitals, identity };
  const parts: Process = { ...given, makeDrivers };
  const enter = (next: Stage) => {
    stage = next;
  };
  try {
    return ending.codeOf(await leadOnce(parts, ending.signal, enter));
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    return ending.codeOf(0);
  } finally {
    await listener.stop();
  }
}

/**
 * The program: reads its command line and environment, works until it is told to stop, and returns the exit code. It takes
 * over the signals, and the output, of the process.
 * @param start the command that the user started it by
 */
export async function runController(given: Given, start: string): Promise<number> {
  const command = readCommand({ ...controllerProgram, start }, given, release);
  return obey(command, { env: given.env, clock, name: 'controller' }, (settings, log) => {
    if (!settings.nodeName && given.env['KUBERNETES_SERVICE_HOST'])
      log.warn('--node-name is not set: nothing keeps the VM that this pod runs on from being deleted under it');
    return main(settings, log);
  });
}
