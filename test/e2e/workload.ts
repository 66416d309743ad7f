import { isDeepStrictEqual } from 'node:util';
import type { Manifest, Scene, Seen } from './scene.ts';

interface SeenNode extends Seen {
  spec: { unschedulable?: boolean; taints?: unknown; providerID?: string };
}

interface SeenPod extends Seen {
  spec: { nodeName?: string };
  status: { phase: string; containerStatuses?: ReadonlyArray<{ restartCount: number }> };
}

/** What must not change on Nodes that are not Drover's. */
export interface Untouched {
  /** Real Nodes: their UID, cordon, taints and labels. */
  nodes: Record<string, unknown>;
  /** Pods of the case: their UID, Node and restarts. */
  pods: Record<string, unknown>;
}

/** Pods that do nothing, spread over the real Nodes. */
export function idlers(scene: Scene, replicas: number): Manifest {
  const labels = { app: 'idler' };
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'idler' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 0,
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'idler',
              image: scene.surroundings.images.busybox,
              imagePullPolicy: 'IfNotPresent',
              command: ['sleep', '86400'],
              securityContext,
            },
          ],
        },
      },
    },
  };
}

/** Nodes that a kubelet runs, not a driver. */
export async function realNodes(scene: Scene): Promise<SeenNode[]> {
  const all = await scene.list<SeenNode>('nodes');
  return all.filter(({ spec }) => !spec.providerID?.startsWith('virtual:'));
}

/** Real Nodes and the case's pods as they are now. */
export async function look(scene: Scene): Promise<Untouched> {
  const [nodes, pods] = await Promise.all([realNodes(scene), scene.list<SeenPod>('pods')]);
  return {
    nodes: Object.fromEntries(nodes.map((node) => [node.metadata.name, nodeFacts(node)])),
    pods: Object.fromEntries(pods.map((pod) => [pod.metadata.name, podFacts(pod)])),
  };
}

/** Throws when a real Node or a pod has changed since. */
export async function expectUntouched(scene: Scene, before: Untouched): Promise<void> {
  const now = await look(scene);
  if (isDeepStrictEqual(now, before)) return;
  throw new Error(`real Nodes or pods were touched: before ${JSON.stringify(before)}, now ${JSON.stringify(now)}`);
}

const nodeFacts = ({ metadata, spec }: SeenNode) => ({
  uid: metadata.uid,
  unschedulable: spec.unschedulable ?? false,
  taints: spec.taints ?? [],
  labels: metadata.labels,
});

const podFacts = ({ metadata, spec, status }: SeenPod) => ({
  uid: metadata.uid,
  node: spec.nodeName,
  phase: status.phase,
  restarts: status.containerStatuses?.map(({ restartCount }) => restartCount),
});
