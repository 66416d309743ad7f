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
/** From the first byte of a request to the first of its answer, milliseconds: the API server itself gives up after 5 s. */
const REQUEST_MS = 10_000;
/** Bun cuts off the connection of a body beyond this. Far above the server's own limit, which answers with a sentence. */
const MOST_BODY_BYTES = 1024 ** 3;
/** How long requests under way may take after the listener was told to stop, milliseconds. */
const LAST_REQUESTS_MS = 10_000;

/** A server for HTTPS whose certificate can be exchanged without dropping a connection. */
export interface Listener {
  port: number;
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
  const { tls, open } = terminator({ pair, unix, clock, log });
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  await opened(tls, address, port).catch(async (error) => {
    await http.stop(true);
    cleanUp();
    throw error;
  });
  return {
    port: portOf(tls),
    exchange: (next) => tls.setSecureContext(contextOf(next)),
    async stop() {
      const closed = new Promise((resolve) => tls.close(resolve));
      // Nobody would ever end those: the API server keeps its connections for the next review.
      for (const [socket, { busy }] of open) if (!busy) socket.end();
      const patience = new AbortController();
      const late = clock.sleep(LAST_REQUESTS_MS, patience.signal).catch(() => {});
      await Promise.race([Promise.all([http.stop(), closed]), late]);
      patience.abort();
      for (const socket of open.keys()) socket.destroy();
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

/** How a connection that is open stands. */
interface Exchange {
  /** A request has begun to come in, and its answer has not begun to go out. */
  busy: boolean;
}

/** A TLS server that passes on every connection, and the connections that are open. */
function terminator({ pair, unix, clock, log }: TerminatorParts): {
  tls: Server;
  open: ReadonlyMap<TLSSocket, Exchange>;
} {
  const open = new Map<TLSSocket, Exchange>();
  const options = { ...contextOf(pair), ALPNProtocols: ['http/1.1'], handshakeTimeout: HANDSHAKE_MS };
  const tls = createServer(options, (socket) => {
    const exchange = { busy: false };
    open.set(socket, exchange);
    socket.once('close', () => open.delete(socket));
    const inner = connect(unix);
    forward(socket, inner);
    dropLateRequests({ outer: socket, inner, exchange, clock });
  });
  tls.on('tlsClientError', (error, socket) => {
    log.debug('a TLS handshake failed', { error });
    socket.destroy();
  });
  return { tls, open };
}

const contextOf = (pair: Pair) => ({ ...pair, minVersion: 'TLSv1.2' }) as const;

/** Passes bytes both ways. An end is passed on after the last byte; a side that breaks takes the other with it. */
function forward(outer: TLSSocket, inner: Socket): void {
  outer.pipe(inner).pipe(outer);
  outer.on('error', () => inner.destroy());
  outer.once('close', () => inner.destroy());
  inner.on('error', () => outer.end());
  outer.setTimeout(2 * IDLE_SECONDS * 1000, () => outer.destroy());
}

/** Both ends of a connection. */
interface Ends {
  outer: TLSSocket;
  inner: Socket;
  exchange: Exchange;
  clock: Clock;
}

/**
 * Ends a connection on which a request, once begun, is not answered in time: its client trickles it or never sends all of
 * it. Nothing of HTTP needs to be read for that: bytes that come in begin a request, bytes that go out end it.
 */
function dropLateRequests({ outer, inner, exchange, clock }: Ends): void {
  let cancel: (() => void) | undefined;
  const answered = () => {
    cancel?.();
    cancel = undefined;
    exchange.busy = false;
  };
  outer.on('data', () => {
    exchange.busy = true;
    cancel ??= clock.after(REQUEST_MS, () => outer.destroy());
  });
  inner.on('data', answered);
  outer.once('close', answered);
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
