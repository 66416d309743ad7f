import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Ports to choose from: below the ranges from which Linux (32768 up) and macOS (49152 up) take the ports of outgoing
 * connections, which could otherwise take the port of a server that is down for a moment; and below NodePorts (30000 up).
 */
const LOWEST = 20_000;
const HIGHEST = 29_999;

/** Everything listens on this machine only. */
export const HOST = '127.0.0.1';

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) return port;
  }
}

/** Whether a server could listen on the port now. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => server.close(() => resolve(true)));
  });

/**
 * Ports by name as a file keeps them. A name gets a new port when it has none yet, or when somebody else took it, which
 * `runs` tells apart from the server of that name itself.
 */
export async function keptPorts<N extends string>(
  file: string,
  names: readonly N[],
  runs: (name: N) => boolean,
): Promise<Record<N, number>> {
  const kept: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const ports = {} as Record<N, number>;
  for (const name of names) {
    const port = kept[name];
    const usable = port !== undefined && (runs(name) || (await isFree(port)));
    ports[name] = usable ? port : await freePort();
  }
  writeFileSync(file, `${JSON.stringify({ ...kept, ...ports }, null, 2)}\n`);
  return ports;
}
