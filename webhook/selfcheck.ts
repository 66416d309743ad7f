import { Api, ApiError, isInvalid } from '../controller/runtime/client/api.ts';
import { type Clock, systemClock } from '../controller/runtime/clock.ts';
import { release, version } from '../controller/runtime/release.ts';
import { type CheckSettings, checkProgram } from '../schemas/config/check.ts';
import { readCommand } from '../schemas/config/commandline.ts';
import type { Given } from '../schemas/config.ts';
import { ANNOTATION_CREATED_BY, ANNOTATION_CREATION_TIMEOUT } from '../schemas/keys.ts';
import { resources } from '../schemas/kinds.ts';
import { type Machine, machineKind } from '../schemas/machine.ts';
import { connectionOf } from './connection.ts';

/** Pause between two tries, milliseconds. */
const PAUSE_MS = 1_000;

/** Tries until all works or the time is over; answers what the last try found. */
export async function checkUntilWorking(
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
  find: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    const findings = await find();
    if (findings.every(({ works }) => works) || clock.monotonic() + PAUSE_MS > end) return findings;
    await clock.sleep(PAUSE_MS);
  }
}

async function check({ kubeconfig, namespace, timeout }: CheckSettings): Promise<Finding[]> {
  const connection = await connectionOf({ kubeconfig });
  const api = new Api({ connection, clock: systemClock, userAgent: `drover-check/${version}` });
  return checkUntilWorking({ clock: systemClock, timeoutMs: timeout }, () => tryAdmission(api, namespace));
}

/**
 * The program `drover check`: prints a sentence for each trial and returns the exit code, 0 if all of it works.
 * @param start the command that the user started it by
 */
export async function runCheck(given: Given, start: string): Promise<number> {
  const command = readCommand({ ...checkProgram, start }, given, release);
  if (!command.run) {
    process[command.exitCode === 0 ? 'stdout' : 'stderr'].write(`${command.text}\n`);
    return command.exitCode;
  }
  try {
    const findings = await check(command.settings);
    for (const { works, message } of findings) process[works ? 'stdout' : 'stderr'].write(`${message}\n`);
    return findings.every(({ works }) => works) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The check could not be made: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** What came of one trial. */
export interface Finding {
  works: boolean;
  /** A sentence for people. */
  message: string;
}

/** Applies a good and a bad Machine as a dry run, and tells what the API server made of them. */
export const tryAdmission = (api: Pick<Api, 'create'>, namespace: string): Promise<Finding[]> =>
  Promise.all([tryGood(api, namespace), tryBad(api, namespace)]);

async function tryGood(api: Pick<Api, 'create'>, namespace: string): Promise<Finding> {
  const taken = await dryRun(api, machineIn(namespace));
  if (taken instanceof Error) return { works: false, message: `A good Machine is refused: ${taken.message}` };
  if (taken.metadata.annotations?.[ANNOTATION_CREATED_BY] !== undefined)
    return { works: true, message: 'A good Machine is taken, and the webhook has completed it.' };
  return {
    works: false,
    message: `A good Machine is taken, but no webhook has completed it: ${look('Mutating', namespace)}`,
  };
}

async function tryBad(api: Pick<Api, 'create'>, namespace: string): Promise<Finding> {
  const taken = await dryRun(api, machineIn(namespace, { [ANNOTATION_CREATION_TIMEOUT]: 'soon' }));
  if (!(taken instanceof Error))
    return { works: false, message: `A bad Machine is taken, as nothing checks it: ${look('Validating', namespace)}` };
  if (isInvalid(taken)) return { works: true, message: `A bad Machine is refused: ${taken.message}` };
  return { works: false, message: `A bad Machine is refused, but not for its fault: ${taken.message}` };
}

const look = (kind: 'Mutating' | 'Validating', namespace: string): string =>
  `see whether Drover's ${kind}WebhookConfiguration is there, and selects namespace ${namespace}`;

/** Its class is not there, which a Machine may wait for. */
const machineIn = (namespace: string, annotations: Record<string, string> = {}): Machine => ({
  apiVersion: `${machineKind.group}/v1alpha1`,
  kind: machineKind.kind,
  metadata: { namespace, name: 'drover-check', annotations },
  spec: { class: { kind: 'MachineClass', name: 'drover-check' } },
});

/** The Machine as it would be stored, or why it would not. */
async function dryRun(api: Pick<Api, 'create'>, machine: Machine): Promise<Machine | Error> {
  try {
    return await api.create(resources.machines, machine, { dryRun: true });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
