import type { Api } from '../runtime/client/api.ts';
import { nodes } from '../runtime/k8s/core.ts';
import type { Log } from '../runtime/observability/log.ts';

/** The Node that this process runs on. */
export interface Host {
  name: string;
  /** What the control cluster says; undefined when it does not tell: then any Node of that name may be it. */
  uid: string | undefined;
  /** Of the kernel that runs there; the same when the Node is registered anew, with another UID. */
  bootID?: string | undefined;
}

/**
 * The Node that this process runs on, by the name that it was told; undefined when it was told none. The UID is read in
 * the control cluster: UIDs are unique, so a Node of that name in another cluster is another one.
 */
export async function findHost(
  { api, nodeName, log }: { api: Pick<Api, 'get'>; nodeName: string; log: Log },
  signal: AbortSignal,
): Promise<Host | undefined> {
  if (!nodeName) return undefined;
  try {
    const { metadata, status } = await api.get(nodes, { name: nodeName }, { signal });
    return { name: nodeName, uid: metadata.uid, bootID: status?.nodeInfo?.['bootID'] };
  } catch (error) {
    signal.throwIfAborted();
    log.warn('own Node not found in the control cluster: no VM of a Node of its name is deleted', { nodeName, error });
    return { name: nodeName, uid: undefined };
  }
}
