import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './daemon.ts';
import { until } from './until.ts';

/**
 * Waits until nobody holds the pipe that it has as descriptor 3 open for writing any more. Then ends every process of the folder's pid files, also
 * frozen ones, and removes the folder. Plain sh, so that it costs nothing.
 */
const SCRIPT = `
cat <&3 >/dev/null
for file in "$1"/run/*.pid; do
  read -r pid <"$file" && [ "$pid" != $$ ] && kill -KILL "$pid"
done
for try in 1 2 3 4 5; do rm -rf "$1" && break; sleep 0.2; done
`;

const NAME = 'guard';

/**
 * Binds the life of a folder, and of the processes with a pid file in its `run`, to the life of this process, however it
 * ends: by a named pipe that only this process holds open.
 */
export function guard(folder: string): { release(): Promise<void> } {
  const pipe = join(folder, 'owner');
  const folders = { run: join(folder, 'run'), log: join(folder, 'log') };
  Bun.spawnSync(['mkfifo', pipe]);
  const owned = openSync(pipe, 'r+'); // For reading too, or it would wait for a reader.
  // Opened here: a guard that opened it itself, once its owner is gone, would wait for ever.
  const read = openSync(pipe, 'r');
  start(folders, { name: NAME, command: ['sh', '-c', SCRIPT, NAME, folder], descriptor: read });
  closeSync(read);
  return {
    async release() {
      closeSync(owned);
      await until(`${folder} to be removed`, () => !existsSync(folder), { timeoutMs: 10_000, everyMs: 20 });
    },
  };
}
