import { NODE_FINALIZER } from '../../schemas/keys.ts';
import { named } from '../flow/flow.ts';
import { deleteObject, type Expectations, NotKept, removeFinalizer, unlessGone } from '../framework/writer.ts';
import type { Target } from '../model/target.ts';
import type { Patch } from '../runtime/client/api.ts';
import { type Node, nodes } from '../runtime/k8s/core.ts';
import { hasFinalizer } from '../runtime/k8s/object.ts';
import { lacking, type NodeChange, objectPatch, statusPatch } from './change.ts';
import { hasRecordedOwner, type NodeOwner, recordingOwner } from './owner.ts';

/**
 * Changes just this Node (uid); metadata and spec first, then the status. A Node that is gone is no error.
 * @throws ApiError Conflict when the taints are others by now
 * @throws NotKept when the answer does not show all of the change
 */
export async function changeNode(
  target: Pick<Target, 'api' | 'nodes'>,
  node: Node,
  change: NodeChange,
): Promise<Expectations> {
  const { expectations, missing } = await written(target, node, change);
  if (missing.length > 0) throw new NotKept(named(missing));
  return expectations;
}

/** Makes the change as far as the API server takes it; what its answers do not show is named. */
async function written(
  target: Pick<Target, 'api' | 'nodes'>,
  node: Node,
  change: NodeChange,
): Promise<{ expectations: Expectations; missing: readonly string[] }> {
  const { condition, capacity, ...ofObject } = change;
  const ofStatus = { ...(condition && { condition }), ...(capacity && { capacity }) };
  const parts: Array<[part: NodeChange, patch: Patch & { subresource?: string }]> = [];
  const object = objectPatch(node, change);
  if (object) parts.push([ofObject, { type: 'merge', body: object }]);
  const status = statusPatch(node, change);
  if (status) parts.push([ofStatus, { type: 'strategic', body: status, subresource: 'status' }]);
  const expectations: Array<Promise<void>> = [];
  const missing: string[] = [];
  for (const [part, patch] of parts) {
    const answer = await patched(target, node, patch);
    expectations.push(answer.expectations);
    missing.push(...namesOf((answer.node && lacking(answer.node, part)) ?? {}));
  }
  return { expectations, missing };
}

async function patched(
  { api, nodes: cache }: Pick<Target, 'api' | 'nodes'>,
  { metadata }: Node,
  { subresource, ...patch }: Patch & { subresource?: string },
): Promise<{ node: Node | undefined; expectations: Promise<void> }> {
  const { name, uid = '' } = metadata;
  const node = await unlessGone(api.patch<Node>(nodes, metadata, patch, subresource ? { subresource } : {}));
  return { node, expectations: node ? cache.whenSeen(node) : cache.whenGone(name, uid) };
}

const namesOf = ({ labels, annotations, unschedulable, taints, condition, capacity }: NodeChange): string[] => [
  ...(unschedulable === undefined ? [] : ['spec.unschedulable']),
  ...(taints ? ['spec.taints'] : []),
  ...Object.keys(labels ?? {}).map((key) => `label ${key}`),
  ...Object.keys(annotations ?? {}).map((key) => `annotation ${key}`),
  ...(condition ? [`condition ${condition.type}`] : []),
  ...Object.keys(capacity ?? {}).map((resource) => `capacity ${resource}`),
];

/** For when the cache shows the Node as it is now: before, a change that rests on an older state is refused each time. */
export async function whenCaughtUp({ api, nodes: cache }: Target, { metadata }: Node): Promise<Expectations> {
  const { name, uid = '' } = metadata;
  const now = await unlessGone(api.get(nodes, { name }));
  return [now ? cache.whenSeen(now) : cache.whenGone(name, uid)];
}

/** Takes MCM's finalizer off just this Node (uid). */
export const releaseNode = ({ api, nodes: cache }: Pick<Target, 'api' | 'nodes'>, node: Node): Promise<Expectations> =>
  removeFinalizer({ api, resource: nodes, cache }, node, NODE_FINALIZER);

/**
 * Takes MCM's finalizer off, if it is there, and deletes just this Node (uid). One that does not say whose it is, is made
 * to first: only such may be deleted (hack/decisions/0038).
 */
export async function removeNode(
  { api, nodes: cache }: Pick<Target, 'api' | 'nodes'>,
  node: Node,
  owner: NodeOwner,
): Promise<Expectations> {
  const on = { api, resource: nodes, cache };
  // Whether it may be deleted without saying so is the API server's to judge.
  if (!hasRecordedOwner(node)) await written({ api, nodes: cache }, node, recordingOwner(owner, node, {}));
  if (hasFinalizer(node, NODE_FINALIZER)) await releaseNode({ api, nodes: cache }, node);
  return deleteObject(on, node);
}
