import { apiVersion } from '../../schemas/kinds.ts';

/** The class that every machine of a bench names. */
export const CLASS = { kind: 'MachineClass', name: 'herd' } as const;

/** Serves the lists that a webhook keeps of a cluster where there is nothing yet but one class. */
export interface Lists extends Disposable {
  /** URL in place of an API server's. */
  server: string;
}

/** Starts to serve them; it ends when it is disposed of. */
export function serveLists(): Lists {
  const machineClass = {
    apiVersion,
    ...{ kind: CLASS.kind, metadata: { name: CLASS.name, namespace: 'herd', uid: 'uid-class', resourceVersion: '1' } },
    ...{ provider: 'virtual', providerSpec: {} },
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch({ url }) {
      const { pathname, searchParams } = new URL(url);
      if (searchParams.has('watch')) return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
      const items = pathname.endsWith('/machineclasses') ? [machineClass] : [];
      return Response.json({ metadata: { resourceVersion: '1' }, items });
    },
  });
  return { server: server.url.href, [Symbol.dispose]: () => void server.stop(true) };
}
