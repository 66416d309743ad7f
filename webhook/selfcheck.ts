import { Api } from '../controller/runtime/client/api.ts';
import { type Clock, systemClock } from '../controller/runtime/clock.ts';
import { release, version } from '../controller/runtime/release.ts';
import { type CheckSettings, checkProgram } from '../schemas/config/check.ts';
import { readCommand } from '../schemas/config/commandline.ts';
import type { Given } from '../schemas/config.ts';
import { connectionOf } from './connection.ts';
import { type Finding, tryAdmission } from './trial.ts';

/** Pause between two tries, milliseconds. */
const PAUSE_MS = 1_000;

/** Tries until all works, or until the patience is over: then it tells what the last try found. */
export async function findUntilWell(
  { clock, patience }: { clock: Clock; patience: number },
  find: () => Promise<Finding[]>,
): Promise<Finding[]> {
  const end = clock.monotonic() + patience;
  for (;;) {
    const findings = await find();
    if (findings.every(({ works }) => works) || clock.monotonic() + PAUSE_MS > end) return findings;
    await clock.sleep(PAUSE_MS);
  }
}

async function check({ kubeconfig, namespace, patience }: CheckSettings): Promise<Finding[]> {
  const connection = await connectionOf({ kubeconfig });
  const api = new Api({ connection, clock: systemClock, userAgent: `drover-check/${version}` });
  return findUntilWell({ clock: systemClock, patience }, () => tryAdmission(api, namespace));
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
    for (const { works, says } of findings) process[works ? 'stdout' : 'stderr'].write(`${says}\n`);
    return findings.every(({ works }) => works) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`The check could not be made: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
