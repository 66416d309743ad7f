import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can be cut: then bytes stop flowing and nobody is told, as when a network falls apart. */
export interface Proxy {
  port: number;
  cut(): void;
  close(): void;
}

/** Starts a proxy on a free local port to the port of another local server. */
export async function startProxy(to: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    if (isCut) return;
    const upstream = connect(to, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
