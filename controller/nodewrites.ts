import { NODE_FINALIZER } from '../schemas/keys.ts';
import { type NodeChange, objectPatch, statusPatch } from './nodechange.ts';
import { claiming, isClaimed, type NodeOwner } from './nodeowner.ts';
import { type Node, nodes } from './runtime/core.ts';
import type { Target } from './targets.ts';
import { deleteObject, patchObject, removeFinalizer, unlessGone, type Visible } from './writes.ts';

/**
 * Changes just this Node (uid); metadata and spec first, then the status. A Node that is gone is no error.
 * @throws ApiError Conflict when the taints are others by now
 */
export async function changeNode(
  { api, nodes: cache }: Pick<Target, 'api' | 'nodes'>,
  node: Node,
  change: NodeChange,
): Promise<Visible> {
  const on = { api, resource: nodes, cache };
  const object = objectPatch(node, change);
  const visible = object ? await patchObject(on, node, { type: 'merge', body: object }) : [];
  const body = statusPatch(node, change);
  if (!body) return visible;
  return [...visible, ...(await patchObject(on, node, { type: 'strategic', body, subresource: 'status' }))];
}

/** For when the cache shows the Node as it is now: before, a change that rests on an older state is refused each time. */
export async function whenCaughtUp({ api, nodes: cache }: Target, { metadata }: Node): Promise<Visible> {
  const { name, uid = '' } = metadata;
  const now = await unlessGone(api.get(nodes, { name }));
  return [now ? cache.whenSeen(now) : cache.whenGone(name, uid)];
}

/** Takes MCM's finalizer off just this Node (uid). */
export const releaseNode = ({ api, nodes: cache }: Pick<Target, 'api' | 'nodes'>, node: Node): Promise<Visible> =>
  removeFinalizer({ api, resource: nodes, cache }, node, NODE_FINALIZER);

/**
 * Takes MCM's finalizer off, if it is there, and deletes just this Node (uid). One that does not say whose it is, is made
 * to first: only such may be deleted (hack/decisions/0038).
 */
export async function removeNode(
  { api, nodes: cache }: Pick<Target, 'api' | 'nodes'>,
  node: Node,
  owner: NodeOwner,
): Promise<Visible> {
  const on = { api, resource: nodes, cache };
  if (!isClaimed(node)) await changeNode({ api, nodes: cache }, node, claiming(owner, node, {}));
  if (node.metadata.finalizers?.includes(NODE_FINALIZER)) await releaseNode({ api, nodes: cache }, node);
  return deleteObject(on, node);
}
