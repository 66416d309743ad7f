import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';

/** The owner makes this file in the folder to end it before its own end. */
const OVER = 'over';

/**
 * Waits until the owner says that it is over, or is dead, however it died; then ends every process of the folder's pid
 * files, by SIGKILL, which also ends what is frozen, and removes the folder. Plain sh, so that it costs nothing.
 */
const SCRIPT = `
while kill -0 "$2" 2>/dev/null && [ ! -e "$1/${OVER}" ]; do sleep 0.2; done
for file in "$1"/run/*.pid; do read -r pid <"$file" && kill -KILL "$pid"; done
for try in 1 2 3 4 5; do rm -rf "$1" && break; sleep 0.2; done
`;

/** Starts the script as nobody's child: `bun test` kills the children of a test that takes too long. */
const ORPHANED = 'sh -c "$0" guard "$1" "$2" >/dev/null 2>&1 &';

/** Binds the life of a folder, and of the processes with a pid file in its `run`, to the life of this process. */
export function guard(folder: string): { release(): Promise<void> } {
  // Detached: a Ctrl-C goes to the whole foreground group, and the guard has to survive it.
  Bun.spawnSync(['sh', '-c', ORPHANED, SCRIPT, folder, String(process.pid)], { detached: true });
  return {
    async release() {
      writeFileSync(join(folder, OVER), '');
      await until(`${folder} to be removed`, () => !existsSync(folder), { timeoutMs: 10_000 });
    },
  };
}
