import { jsonWithin, MOST_BYTES } from './answers.ts';
import type { Connection } from './connection.ts';

/** Which cluster a connection must lead to: a cluster is known by the UID of its namespace kube-system. */
export interface Identity {
  /** The UID that it must have; undefined while any will do. Asked before the first request, and after each that failed. */
  expected(): string | undefined;
  /** Told the UID of the cluster that the connection leads to. */
  learned(uid: string): void;
}

/** The connection leads to another cluster than before. */
export class DifferentCluster extends Error {
  readonly code = 'ERR_OTHER_CLUSTER';

  constructor(expected: string, found: string) {
    super(`it leads to another cluster than before: its namespace kube-system has the UID ${found}, not ${expected}`);
    this.name = 'DifferentCluster';
  }
}

/** The connection may not read what tells which cluster it leads to. */
export class ClusterUnknown extends Error {
  readonly code = 'ERR_CLUSTER_UNKNOWN';

  constructor() {
    super('which cluster it leads to cannot be told: the namespace kube-system may not be read');
    this.name = 'ClusterUnknown';
  }
}

const PATH = '/api/v1/namespaces/kube-system';

/** Answers of a server that will not say which cluster it is; with any other that is no success it refuses everything. */
const WITHHELD: ReadonlySet<number> = new Set([403, 404]);

/** What a UID looks like: it is written into a status. */
const UID = /^[-\w]{1,64}$/;

/**
 * A connection over which nothing is sent before it is known to lead to the cluster that is expected. Requests are rejected with
 * DifferentCluster; with ClusterUnknown where a cluster is expected and the namespace may not be read; and as `connection` rejects them.
 */
export function sameCluster(connection: Connection, identity: Identity): Connection {
  const { send = fetch, server } = connection;
  let isKnown = false;
  /** The answer in which the server refuses, whatever is asked of it; undefined once it is known to be the right one. */
  const refused = async ({ body: _, ...asked }: BunFetchRequestInit): Promise<Response | undefined> => {
    const response = await send(server + PATH, { ...asked, method: 'GET' });
    if (!response.ok && !WITHHELD.has(response.status)) return response;
    judge(identity, await uidIn(response));
    isKnown = true;
    return undefined;
  };
  return {
    ...connection,
    send: async (url, request) => {
      const refusal = isKnown ? undefined : await refused(request);
      try {
        return refusal ?? (await send(url, request));
      } catch (error) {
        // Somebody else may listen there when it answers again.
        isKnown = false;
        throw error;
      }
    },
  };
}

function judge(identity: Identity, uid: string | undefined): void {
  const expected = identity.expected();
  if (expected !== undefined && uid === undefined) throw new ClusterUnknown();
  if (expected !== undefined && uid !== expected) throw new DifferentCluster(expected, uid ?? '');
  if (uid !== undefined) identity.learned(uid);
}

/** Undefined when the server does not say. */
async function uidIn(response: Response): Promise<string | undefined> {
  if (response.ok) {
    const { metadata } = await jsonWithin<{ metadata?: { uid?: unknown } }>(response, MOST_BYTES.identity);
    return typeof metadata?.uid === 'string' && UID.test(metadata.uid) ? metadata.uid : undefined;
  }
  await response.body?.cancel();
  return undefined;
}
