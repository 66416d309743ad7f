import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Clock } from '../controller/runtime/clock.ts';
import type { Log } from '../controller/runtime/log.ts';
import type { Pair } from './certificate/pair.ts';

/** Idle connections end after so many seconds: the API server keeps its own open, and one that ends early races with it. */
const IDLE_SECONDS = 120;
/** For a socket in the file system, where Bun heeds it but its types do not know it. */
const idle: object = { idleTimeout: IDLE_SECONDS };
/** A client that does not finish its TLS handshake is dropped after so long, milliseconds. */
const HANDSHAKE_MS = 10_000;
/** How often connections are looked at, milliseconds. */
const LOOK_MS = 1_000;
/** From the first byte of a request to the first of its answer, in looks: the API server itself gives up after 5 s. */
const REQUEST_LOOKS = 10;
/** A connection on which nothing goes either way is ended after so many looks, should Bun not have ended it. */
const IDLE_LOOKS = 2 * IDLE_SECONDS;
/** Bun cuts off the connection of a body beyond this. Far above the server's own limit, which answers with a sentence. */
const MOST_BODY_BYTES = 1024 ** 3;
/** How long requests under way may take after the listener was told to stop, milliseconds. */
const LAST_REQUESTS_MS = 10_000;

/** A server for HTTPS whose certificate can be exchanged without dropping a connection. */
export interface Listener {
  port: number;
  /** Connections on which a request has begun to come in and no answer has begun to go out. */
  readonly busy: number;
  /** New connections get this certificate; those that are open stay as they are. */
  exchange(pair: Pair): void;
  /** Takes no more connections and resolves once the requests under way have been answered, or 10 s have passed. */
  stop(): Promise<void>;
}

export interface ListenParts {
  fetch(request: Request): Response | Promise<Response>;
  pair: Pair;
  address: string;
  /** 0 takes a free one. */
  port: number;
  clock: Clock;
  log: Log;
}

/**
 * Listens. TLS ends in a server of node:tls, which hands the plain stream to Bun.serve over a socket in a private folder:
 * Bun.serve itself ignores a new certificate, and two of them taking turns cut connections.
 */
export async function listen({ fetch, pair, address, port, clock, log }: ListenParts): Promise<Listener> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-webhook-'));
  const unix = join(folder, 'http.sock');
  const http = Bun.serve({ unix, fetch, maxRequestBodySize: MOST_BODY_BYTES, ...idle });
  const { tls, open, endLooking } = terminator({ pair, unix, clock, log });
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  await opened(tls, address, port).catch(async (error) => {
    endLooking();
    await http.stop(true);
    cleanUp();
    throw error;
  });
  return {
    port: portOf(tls),
    get busy() {
      return [...open.values()].filter(({ busy }) => busy > 0).length;
    },
    exchange: (next) => tls.setSecureContext(contextOf(next)),
    async stop() {
      const closed = new Promise((resolve) => tls.close(resolve));
      // Nobody would ever end those: the API server keeps its connections for the next review.
      for (const [socket, { busy }] of open) if (busy === 0) socket.end();
      const patience = new AbortController();
      const late = clock.sleep(LAST_REQUESTS_MS, patience.signal).catch(() => {});
      await Promise.race([Promise.all([http.stop(), closed]), late]);
      patience.abort();
      for (const socket of open.keys()) socket.destroy();
      endLooking();
      cleanUp();
    },
  };
}

interface TerminatorParts {
  pair: Pair;
  /** Path of the socket to which the plain stream goes. */
  unix: string;
  clock: Clock;
  log: Log;
}

/** How a connection that is open stands: looks at it, counted. */
interface Exchange {
  /** Since the request began to come in whose answer has not begun to go out; 0 while there is none. */
  busy: number;
  /** Since a byte last went either way. */
  idle: number;
}

/** A TLS server that passes on every connection, and the connections that are open. */
function terminator({ pair, unix, clock, log }: TerminatorParts): {
  tls: Server;
  open: ReadonlyMap<TLSSocket, Exchange>;
  endLooking(): void;
} {
  const open = new Map<TLSSocket, Exchange>();
  const options = { ...contextOf(pair), ALPNProtocols: ['http/1.1'], handshakeTimeout: HANDSHAKE_MS };
  const tls = createServer(options, (socket) => {
    const exchange: Exchange = { busy: 0, idle: 0 };
    open.set(socket, exchange);
    socket.once('close', () => open.delete(socket));
    const inner = connect(unix);
    forward(socket, inner);
    follow(socket, inner, exchange);
  });
  tls.on('tlsClientError', (error, socket) => {
    log.debug('a TLS handshake failed', { error });
    socket.destroy();
  });
  return { tls, open, endLooking: every(clock, LOOK_MS, () => dropLate(open)) };
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

const contextOf = (pair: Pair) => ({ ...pair, minVersion: 'TLSv1.2' }) as const;

/** Passes bytes both ways. An end is passed on after the last byte; a side that breaks takes the other with it. */
function forward(outer: TLSSocket, inner: Socket): void {
  outer.pipe(inner).pipe(outer);
  outer.on('error', () => inner.destroy());
  outer.once('close', () => inner.destroy());
  inner.on('error', () => outer.end());
}

/** Nothing of HTTP needs to be read to tell a request: bytes that come in begin it, bytes that go out end it. */
function follow(outer: TLSSocket, inner: Socket, exchange: Exchange): void {
  outer.on('data', () => {
    exchange.busy ||= 1;
    exchange.idle = 0;
  });
  inner.on('data', () => {
    exchange.busy = 0;
    exchange.idle = 0;
  });
}

/**
 * Ends connections on which a request, once begun, is not answered in time, because its client trickles it or never sends
 * all of it, and those that nobody uses. A look at all of them now and then is cheaper than timers for every request.
 */
function dropLate(open: ReadonlyMap<TLSSocket, Exchange>): void {
  for (const [socket, exchange] of open) {
    if (exchange.busy > REQUEST_LOOKS || exchange.idle > IDLE_LOOKS) socket.destroy();
    if (exchange.busy > 0) exchange.busy++;
    exchange.idle++;
  }
}

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
