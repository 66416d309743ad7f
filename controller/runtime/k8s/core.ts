import type { KubeObject, Resource } from './object.ts';
import { type Check, count, fields, flag, listOf, text, texts } from './shape.ts';

/**
 * The kinds of Kubernetes itself that Drover touches, with the fields it reads or writes. client-node's types are not
 * used for them: those promise Date objects where the wire carries strings.
 */

export interface Condition {
  type: string;
  status: string;
  reason?: string | undefined;
  message?: string | undefined;
  lastHeartbeatTime?: string | undefined;
  lastTransitionTime?: string | undefined;
}

/** What tells of conditions in its status. */
interface Conditioned<C> {
  status?: { conditions?: readonly C[] | null | undefined } | null | undefined;
}

/** The condition of this type; undefined where the object's status has none. */
export const conditionOf = <C extends { type: string }>({ status }: Conditioned<C>, type: string): C | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** core/v1 Taint. */
export interface Taint {
  key: string;
  value?: string | undefined;
  effect: string;
  timeAdded?: string | undefined;
}

/** core/v1 Node. */
export interface Node extends KubeObject {
  spec?: { providerID?: string; unschedulable?: boolean; taints?: Taint[] };
  status?: {
    conditions?: Condition[];
    addresses?: Array<{ type: string; address: string }>;
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    nodeInfo?: Record<string, string>;
    volumesAttached?: Array<{ name: string }>;
  };
}

export interface Secret extends KubeObject {
  type?: string;
  /** Values in base64. */
  data?: Record<string, string>;
}

/** core/v1 ConfigMap. */
export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** coordination.k8s.io/v1 Lease. */
export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** A reference to any object, as events carry it (core/v1 ObjectReference). */
export interface ObjectReference {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

/** An event of events.k8s.io/v1. */
export interface Event extends KubeObject {
  eventTime: string;
  reportingController: string;
  reportingInstance: string;
  action: string;
  reason: string;
  regarding: ObjectReference;
  related?: ObjectReference;
  note: string;
  type: 'Normal' | 'Warning';
  series?: { count: number; lastObservedTime: string };
}

/** Fields of these names, each of which is a text. */
const textsOf = (...names: readonly string[]): Check => fields(Object.fromEntries(names.map((name) => [name, text])));

/** Where the API server serves them. */
export const namespaces: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
export const nodes: Resource<Node> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
  shape: fields({
    spec: fields({
      providerID: text,
      unschedulable: flag,
      taints: listOf(textsOf('key', 'value', 'effect', 'timeAdded')),
    }),
    status: fields({
      conditions: listOf(textsOf('type', 'status', 'reason', 'message', 'lastHeartbeatTime', 'lastTransitionTime')),
      addresses: listOf(textsOf('type', 'address')),
      capacity: texts,
      nodeInfo: textsOf('bootID', 'kubeletVersion'),
      volumesAttached: listOf(textsOf('name')),
    }),
  }),
};
export const secrets: Resource<Secret> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
  shape: fields({ type: text, data: texts }),
};
export const configMaps: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  shape: fields({ data: texts }),
};
export const leases: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
  shape: fields({
    spec: fields({
      holderIdentity: text,
      leaseDurationSeconds: count,
      acquireTime: text,
      renewTime: text,
      leaseTransitions: count,
    }),
  }),
};
export const events: Resource<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
