import { join } from 'node:path';
import { locked } from '../lock.ts';
import { sentences } from '../sentences.ts';
import { cacheFolder } from '../tools/cache.ts';
import { run } from '../tools/run.ts';
import { installDocker, startDaemon } from './daemon.ts';

/** Runs docker with some words and returns what it printed. Throws a RunError with what it complained about. */
export const docker = (...words: string[]): Promise<string> => run(['docker', ...words]);

/**
 * Makes a docker daemon usable, and says in a sentence why none is; undefined when one is. A daemon that answers is taken
 * as it is. Where there is none, root on Linux gets one: installed by apt-get if need be, and started.
 */
export async function dockerUnavailable(): Promise<string | undefined> {
  try {
    await ensureDocker();
    return undefined;
  } catch (error) {
    return sentences(error);
  }
}

/** As `dockerUnavailable`, but throws the sentence. */
export async function ensureDocker(): Promise<void> {
  const complaint = await complaintOfDocker();
  if (complaint === undefined) return;
  const refusal = refusalToStart({ platform: process.platform, user: process.getuid?.(), env: process.env });
  if (refusal !== undefined) throw new Error(`No docker daemon answers: ${complaint}\n${refusal}`);
  await locked({ file: join(cacheFolder(process.env), 'docker', 'lock') }, async () => {
    if ((await complaintOfDocker()) === undefined) return;
    await installDocker();
    if ((await complaintOfDocker()) !== undefined) await startDaemon(complaintOfDocker);
  });
}

/** What docker says when no daemon answers; undefined when one does. */
async function complaintOfDocker(): Promise<string | undefined> {
  try {
    await docker('info', '--format', '{{.ServerVersion}}');
    return undefined;
  } catch (error) {
    return sentences(error);
  }
}

/** What decides whether a daemon may be started. */
export interface Starter {
  platform: NodeJS.Platform;
  user: number | undefined;
  env: Record<string, string | undefined>;
}

/** Why no daemon may be started here, and what to do instead; undefined when one may. */
export function refusalToStart({ platform, user, env }: Starter): string | undefined {
  if (env['DOCKER_HOST']) return `DOCKER_HOST names the daemon ${env['DOCKER_HOST']}: see that it runs, or unset it.`;
  if (platform === 'linux' && user === 0) return undefined;
  return 'Start it, and see that this user may use it; only root on Linux gets one started from here.';
}
