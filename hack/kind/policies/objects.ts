import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import type { Selector } from '../../../schemas/selector.ts';

/** A pod, as far as the network sees it. */
export interface NetworkPod extends KubeObject {
  spec?: {
    hostNetwork?: boolean;
    initContainers?: Container[];
    containers?: Container[];
  };
  status?: { phase?: string; podIPs?: Array<{ ip: string }> };
}

/** A container's ports, by which policies may call them. */
export interface Container {
  ports?: Array<{ name?: string; containerPort: number; protocol?: string }>;
}

/** networking.k8s.io/v1 NetworkPolicy. */
export interface NetworkPolicy extends KubeObject {
  spec?: {
    podSelector?: Selector;
    /** Absent means Ingress, and Egress if there are rules for it. */
    policyTypes?: Direction[];
    ingress?: Array<{ from?: Peer[]; ports?: Port[] }>;
    egress?: Array<{ to?: Peer[]; ports?: Port[] }>;
  };
}

/** Which way connections are made, seen from the pods that a policy picks. */
export type Direction = 'Ingress' | 'Egress';

/** Who may be at the other end. */
export interface Peer {
  podSelector?: Selector;
  namespaceSelector?: Selector;
  ipBlock?: { cidr: string; except?: string[] };
}

/** Where connections may lead. */
export interface Port {
  /** TCP unless said. */
  protocol?: string;
  /** A number, or the name of a container's port; all ports unless said. */
  port?: number | string;
  /** The last of a range. */
  endPort?: number;
}

/** Where the API server serves pods, as the network sees them. */
export const networkPods: Resource<NetworkPod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
};

/** Where the API server serves NetworkPolicies. */
export const networkPolicies: Resource<NetworkPolicy> = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
  namespaced: true,
};
