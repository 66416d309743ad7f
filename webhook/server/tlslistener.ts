import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Clock } from '../../controller/runtime/clock.ts';
import type { Log } from '../../controller/runtime/observability/log.ts';
import type { Metrics } from '../../controller/runtime/observability/metrics.ts';
import type { Credentials } from '../certificate/keypair.ts';
import { type Fetch, IDLE_SECONDS, Lanes, Shares } from './lanes.ts';
import { Passage } from './loadshedding.ts';

/** What all clients have together. */
export const LIMITS = {
  /** Bytes of requests in work at once, from the first that comes to the answer. In memory they take several times that. */
  bytes: 48 * 1024 * 1024,
  /** Connections open at once, each of them two files. */
  connections: 2_048,
};
/** How often connections are looked at, milliseconds. */
const LOOK_MS = 1_000;
/** A client that does not finish its TLS handshake is dropped after so many looks. */
const HANDSHAKE_LOOKS = 10;
/** A connection on which nothing goes either way is ended after so many looks, should Bun not have ended it. */
const IDLE_LOOKS = 2 * IDLE_SECONDS;
/** How long requests under way may take after the listener was told to stop, milliseconds. */
const LAST_REQUESTS_MS = 10_000;

/** A server for HTTPS whose certificate can be exchanged without dropping a connection. */
export interface Listener {
  port: number;
  /** Connections on which a request has begun to come in and no answer has begun to go out. */
  readonly busy: number;
  /**
   * New connections get this certificate; those that are open stay as they are, unless clients of other authorities are
   * trusted from now on: then they end after their next answer.
   */
  exchange(credentials: Credentials): void;
  /** Takes no more connections and resolves once the requests under way have been answered, or 10 s have passed. */
  stop(): Promise<void>;
}

export interface ListenParts {
  fetch: Fetch;
  credentials: Credentials;
  address: string;
  /** 0 takes a free one. */
  port: number;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** LIMITS when absent. */
  limits?: typeof LIMITS;
}

/**
 * Listens. TLS ends in a server of node:tls, which hands the plain stream to Bun.serve over a socket in a private folder:
 * Bun.serve itself ignores a new certificate, and two of them taking turns cut connections. No address can use up the
 * connections, or the bytes in work (hack/decisions/0036).
 */
export async function listen({ fetch, address, port, ...parts }: ListenParts): Promise<Listener> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-webhook-'));
  const lanes = new Lanes({ folder, fetch });
  const { tls, open, endLooking } = terminator({ ...parts, lanes });
  const { clock } = parts;
  let trusting = parts.credentials.clientAuthorities;
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  await opened(tls, address, port).catch((error) => {
    endLooking();
    cleanUp();
    throw error;
  });
  return {
    port: portOf(tls),
    get busy() {
      return [...open.values()].filter(({ isBusy }) => isBusy).length;
    },
    exchange(next) {
      tls.setSecureContext(contextOf(next));
      if (next.clientAuthorities !== trusting) for (const passage of open.values()) passage.retire();
      trusting = next.clientAuthorities;
    },
    async stop() {
      const closed = new Promise((resolve) => tls.close(resolve));
      // Nobody would ever end those: the API server keeps its connections for the next review.
      for (const [socket, { isBusy }] of open) if (!isBusy) socket.end();
      const grace = new AbortController();
      const graceOver = clock.sleep(LAST_REQUESTS_MS, grace.signal).catch(() => {});
      await Promise.race([Promise.all([lanes.stop(), closed]), graceOver]);
      grace.abort();
      for (const socket of open.keys()) socket.destroy();
      endLooking();
      cleanUp();
    },
  };
}

type TerminatorParts = Pick<ListenParts, 'credentials' | 'clock' | 'log' | 'metrics' | 'limits'> & { lanes: Lanes };

/** A TLS server that passes on every connection that there is room for, and the connections that are open. */
function terminator({ credentials, lanes, clock, log, metrics, limits = LIMITS }: TerminatorParts): {
  tls: Server;
  open: ReadonlyMap<TLSSocket, Passage>;
  endLooking(): void;
} {
  const open = new Map<TLSSocket, Passage>();
  const room = new Shares(limits.bytes);
  const count = (limit: 'bytes' | 'connections') => metrics.count('drover_webhook_overloads_total', { limit });
  const tls = createServer({ ...contextOf(credentials), ALPNProtocols: ['http/1.1'] });
  const connections = new Shares(limits.connections);
  const greeting = admitted(tls, connections, () => count('connections'));
  tls.on('secureConnection', (outer) => {
    const { address = '' } = greeting.get(outer) ?? {};
    greeting.delete(outer);
    const { unix, leave } = lanes.enter({ address, trusted: outer.authorized });
    open.set(outer, new Passage({ outer, address, unix, room, turnedAway: () => count('bytes') }));
    outer.once('close', () => {
      open.delete(outer);
      leave();
    });
  });
  tls.on('tlsClientError', (error, socket) => {
    log.debug('a TLS handshake failed', { error });
    socket.destroy();
  });
  const look = () => {
    for (const passage of open.values()) passage.look(IDLE_LOOKS);
    for (const [socket, handshake] of greeting) if (++handshake.looks > HANDSHAKE_LOOKS) socket.destroy();
  };
  return { tls, open, endLooking: every(clock, LOOK_MS, look) };
}

/** A connection whose TLS handshake goes on. */
interface Handshake {
  /** It is not told any more when the connection has ended. */
  address: string;
  looks: number;
}

/** Cuts off connections beyond the share of their address, before anything is read of them. Answers those that are in their handshake. */
function admitted(tls: Server, connections: Shares, turnedAway: () => void): Map<TLSSocket, Handshake> {
  const greeting = new Map<TLSSocket, Handshake>();
  tls.on('connection', (socket: TLSSocket) => {
    const address = socket.remoteAddress ?? '';
    if (!connections.take(address, 1)) {
      turnedAway();
      socket.destroy();
      return;
    }
    greeting.set(socket, { address, looks: 0 });
    socket.once('close', () => {
      greeting.delete(socket);
      connections.give(address, 1);
    });
  });
  return greeting;
}

/** Runs something again and again; the answer ends that. */
function every(clock: Clock, ms: number, run: () => void): () => void {
  const again = (): (() => void) =>
    clock.after(ms, () => {
      cancel = again();
      run();
    });
  let cancel = again();
  return () => cancel();
}

/** Who shows no certificate is let in all the same, and not trusted: probes have none. */
const contextOf = ({ cert, key, clientAuthorities }: Credentials) => ({
  cert,
  key,
  minVersion: 'TLSv1.2' as const,
  ...(clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true, rejectUnauthorized: false }),
});

function opened(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`cannot listen on ${address} port ${port}`, { cause })));
    server.listen(port, address, resolve);
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
