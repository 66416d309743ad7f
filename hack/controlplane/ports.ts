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

/** As many processes of one test run choose from parts of the range that no other one chooses from. */
const PARTS = 16;

/** What this process has handed out last: its server may not listen yet, or be down for a moment. */
const MOST = 300;
const handedOut = new Set<number>();

/** A port on which nothing listens, and that neither this process nor one of the same test run has handed out. */
export async function freePort(): Promise<number> {
  const [lowest, highest] = rangeOf(process.env['BUN_TEST_WORKER_ID']);
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (take(port) && (await isFree(port))) return port;
  }
}

/** Whether nobody has the port yet: then the caller does. The oldest is forgotten, or none would be left in a long run. */
function take(port: number): boolean {
  if (handedOut.has(port)) return false;
  handedOut.add(port);
  const [oldest] = handedOut;
  if (handedOut.size > MOST && oldest !== undefined) handedOut.delete(oldest);
  return true;
}

/** From and to which port a process may choose that is the so-manieth of a test run, or none of one. */
export function rangeOf(worker: string | undefined): [lowest: number, highest: number] {
  if (worker === undefined) return [LOWEST, HIGHEST];
  const size = Math.floor((HIGHEST + 1 - LOWEST) / PARTS);
  const lowest = LOWEST + (Number(worker) % PARTS) * size;
  return [lowest, lowest + size - 1];
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
