import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

/** How the controller is started. */
export interface Command {
  flags: readonly string[];
  /** Variables that are settings of the deployed one. */
  env: Readonly<Record<string, string>>;
}

/**
 * Runs the controller of this working tree until it ends, and returns its exit code. When the signal aborts it is told to
 * end; where the terminal has told it already, this does no harm. Settings in this process's own environment are not the
 * Deployment's, so they are left out. Throws when somebody kills it.
 */
export async function startController({ flags, env }: Command, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('DROVER_'));
  const child = Bun.spawn([process.execPath, 'controller/main.ts', ...flags], {
    cwd: ROOT,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'));
  const code = await child.exited;
  signal.throwIfAborted();
  if (child.signalCode) throw new Error(`the controller was ended by ${child.signalCode}`);
  return code;
}
