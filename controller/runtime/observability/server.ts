import type { NetworkInterfaceInfo } from 'node:os';
import { type Context, Hono } from 'hono';
import type { Metrics } from './metrics.ts';

/** Answers what is wrong, or undefined while all is well; a throw counts as wrong. Quick: it is asked every few seconds. */
export type Check = () => string | undefined | Promise<string | undefined>;

/** Checks by name; the name is in the answer when one fails. */
export type Checks = Readonly<Record<string, Check>>;

/** What the routes tell. */
export interface ProbeOptions {
  /** While one of them fails the process is beyond help and should be restarted. */
  healthy: Checks;
  /** While one of them fails the process cannot do its work now. */
  ready: Checks;
  metrics: Metrics;
}

/** A server that listens. */
export interface Listener {
  port: number;
  /** Takes no more connections, and resolves once the requests under way have been answered. */
  stop(): Promise<void>;
}

/** Idle connections are closed after so many seconds: longer than probes and scrapes are apart. */
const IDLE_SECONDS = 120;

/** `/healthz` and `/readyz` (200 `ok`, or 500 with the name of each failing check), and `/metrics`. */
export function probes({ healthy, ready, metrics }: ProbeOptions): Hono {
  return new Hono()
    .get('/healthz', (c) => report(c, healthy))
    .get('/readyz', (c) => report(c, ready))
    .get('/metrics', async (c) => c.body(await metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4' }));
}

/** Serves the probes over plain HTTP; port 0 takes a free one. */
export function serve({ port, hostname, ...options }: ProbeOptions & { port: number; hostname: string }): Listener {
  const server = Bun.serve({ port, hostname, idleTimeout: IDLE_SECONDS, fetch: probes(options).fetch });
  return { port: server.port ?? port, stop: () => server.stop() };
}

async function report(c: Context, checks: Checks): Promise<Response> {
  const findings = await Promise.all(Object.entries(checks).map(finding));
  const wrong = findings.filter((text) => text !== undefined);
  return wrong.length === 0 ? c.text('ok') : c.text(wrong.join('\n'), 500);
}

/** `name: what is wrong`, or undefined. */
async function finding([name, check]: [string, Check]): Promise<string | undefined> {
  try {
    const wrong = await check();
    return wrong === undefined ? undefined : `${name}: ${wrong}`;
  } catch (error) {
    return `${name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What is known of a machine's addresses, by the name of the interface: what `networkInterfaces()` of node:os gives. */
type Interfaces = Readonly<Record<string, ReadonlyArray<Pick<NetworkInterfaceInfo, 'family'>> | undefined>>;

/**
 * The address to listen on for all of a machine's: `::` takes IPv4 as well, but cannot be had where the kernel has no IPv6,
 * and `0.0.0.0` takes no IPv6, which is all that a pod of an IPv6 cluster has.
 */
export const everyAddress = (interfaces: Interfaces): '::' | '0.0.0.0' =>
  Object.values(interfaces).some((all = []) => all.some(({ family }) => family === 'IPv6')) ? '::' : '0.0.0.0';
