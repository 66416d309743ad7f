import type { Node } from '../runtime/k8s/core.ts';

/** Parts of a Node's status that nobody here reads; the images are nine tenths of a Node. */
const UNREAD: ReadonlySet<string> = new Set([
  'allocatable',
  'config',
  'daemonEndpoints',
  'declaredFeatures',
  'features',
  'images',
  'runtimeHandlers',
  'volumesInUse',
]);

/**
 * A Node without what nobody here reads. It is for looking only: what is written to a Node is a patch, never the whole of
 * it (slimnode.test.ts).
 */
export function slimNode(node: Node): Node {
  if (!node.status) return node;
  const status = Object.fromEntries(Object.entries(node.status).filter(([part]) => !UNREAD.has(part)));
  return { ...node, status };
}
