import { clusterKind } from '../../schemas/cluster.ts';
import { apiVersionOf } from '../../schemas/kind.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { LOCAL } from '../fixtures/local.ts';

/** The class that every machine of a bench names. */
export const CLASS = { kind: 'MachineClass', name: 'herd' } as const;

/** The Cluster that every object of a bench names. */
export const CLUSTER = 'herd';

/** Serves the lists that a webhook keeps of a cluster where there is nothing yet but one class and one Cluster. */
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
  const cluster = {
    ...{ apiVersion: apiVersionOf(clusterKind), kind: clusterKind.kind },
    metadata: { name: CLUSTER, namespace: 'herd', uid: 'uid-cluster', resourceVersion: '1' },
    spec: { kubeconfigSecretRef: { name: 'herd' } },
  };
  const known: Readonly<Record<string, object[]>> = { machineclasses: [machineClass], clusters: [cluster] };
  const server = Bun.serve({
    ...LOCAL,
    fetch({ url }) {
      const { pathname, searchParams } = new URL(url);
      if (searchParams.has('watch')) return new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
      const items = known[pathname.slice(pathname.lastIndexOf('/') + 1)] ?? [];
      return Response.json({ metadata: { resourceVersion: '1' }, items });
    },
  });
  return { server: server.url.href, [Symbol.dispose]: () => void server.stop(true) };
}
