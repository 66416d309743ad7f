import { ApiError, type Patch } from '../../runtime/client/api.ts';
import { type Node, nodes } from '../../runtime/k8s/core.ts';
import { type KubeObject, keyOf, type Ref, type Resource } from '../../runtime/k8s/object.ts';
import { type Pod, pods } from '../../runtime/k8s/workload.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { podIndexes } from '../../targets/pods.ts';
import type { NodeApi } from './kubelet.ts';
import { NOT_READY_TAINT } from './node.ts';

type Json = Record<string, unknown>;

/** A target cluster in memory, as far as the simulator uses one: Nodes and Leases, admission's taint, a cache of Nodes. */
export class FakeTarget {
  readonly nodes = new Cache<Node>({ freeze: true });
  readonly pods = new Cache<Pod>({ freeze: true, indexes: podIndexes });
  /** What was written, in order, such as `create nodes m`. */
  readonly writes: string[] = [];
  /** Runs before each write; what it throws is the call's error. */
  onWrite: (write: string) => void = () => {};
  readonly #objects = new Map<string, KubeObject>();
  #version = 0;

  constructor() {
    this.nodes.reset([], '0');
    this.pods.reset([], '0');
  }

  /** As the driver sees it. */
  get api(): NodeApi {
    return {
      get: async (resource, ref) => this.#at(resource, ref),
      list: async (resource) => ({ items: this.all(resource), resourceVersion: `${this.#version}` }),
      create: async (resource, object) => this.#create(resource, object),
      patch: async (resource, ref, patch) => this.#patch(resource, ref, patch),
      delete: async (resource, ref) => this.#delete(resource, ref),
    };
  }

  /** Every object of a resource. */
  all<T extends KubeObject>({ plural }: Resource<T>): T[] {
    const found = [...this.#objects].filter(([path]) => path.startsWith(`${plural} `));
    return found.map(([, object]) => object as T);
  }

  /** A write by somebody else. */
  put<T extends KubeObject>(resource: Resource<T>, object: T): T {
    const stored = structuredClone(object);
    stored.metadata.resourceVersion = `${++this.#version}`;
    stored.metadata.uid ??= `uid-${this.#version}`;
    this.#objects.set(`${resource.plural} ${keyOf(stored)}`, stored);
    if (resource.kind === nodes.kind) this.nodes.put(stored as Node);
    if (resource.kind === pods.kind) this.pods.put(stored as Pod);
    return stored;
  }

  /** A deletion by somebody else. */
  drop<T extends KubeObject>(resource: Resource<T>, ref: Ref): T {
    const object = this.#at(resource, ref);
    this.#objects.delete(`${resource.plural} ${keyOf(object)}`);
    const gone = { ...object, metadata: { ...object.metadata, resourceVersion: `${++this.#version}` } };
    if (resource.kind === nodes.kind) this.nodes.drop(gone as Node);
    if (resource.kind === pods.kind) this.pods.drop(gone as Pod);
    return gone;
  }

  #write(verb: string, { plural }: Resource, { name }: Ref): void {
    const write = `${verb} ${plural} ${name}`;
    this.onWrite(write);
    this.writes.push(write);
  }

  #create<T extends KubeObject>(resource: Resource<T>, object: T): T {
    this.#write('create', resource, object.metadata);
    if (this.#objects.has(`${resource.plural} ${keyOf(object)}`)) throw refusal(409, 'AlreadyExists');
    return this.put(resource, resource.kind === nodes.kind ? (tainted(object as Node) as KubeObject as T) : object);
  }

  #patch<T extends KubeObject>(resource: Resource<T>, ref: Ref, patch: Patch): T {
    this.#write('patch', resource, ref);
    return this.put(resource, patched(this.#at(resource, ref) as unknown as Json, patch) as unknown as T);
  }

  #delete<T extends KubeObject>(resource: Resource<T>, ref: Ref): T {
    this.#write('delete', resource, ref);
    return this.drop(resource, ref);
  }

  #at<T extends KubeObject>({ plural }: Resource<T>, ref: Ref): T {
    const object = this.#objects.get(`${plural} ${keyOf({ metadata: ref })}`);
    if (!object) throw refusal(404, 'NotFound');
    return object as T;
  }
}

const refusal = (status: number, reason: string): ApiError =>
  new ApiError(`refused: ${reason}`, { status, reason, mayHaveActed: false });

/** What admission does to a new Node. */
function tainted(node: Node): Node {
  const taints = [...(node.spec?.taints ?? []), { key: NOT_READY_TAINT, effect: 'NoSchedule' }];
  return { ...node, spec: { ...node.spec, taints } };
}

/** Just enough of three kinds of patch: maps are merged, conditions replaced by type, one taint removed. */
function patched(object: Json, patch: Patch): Json {
  if (patch.type !== 'json') return merged(object, patch.body as Json);
  const at = Number(String(patch.body[1]?.['path']).split('/').at(-1));
  const spec = object['spec'] as { taints: unknown[] };
  return { ...object, spec: { ...spec, taints: spec.taints.filter((_, index) => index !== at) } };
}

function merged(object: Json, body: Json): Json {
  const result = { ...object };
  for (const [key, value] of Object.entries(body)) {
    if (key === 'conditions') result[key] = withConditions(object[key] as Typed[], value as Typed[]);
    else
      result[key] =
        typeof value === 'object' && value !== null ? merged((object[key] ?? {}) as Json, value as Json) : value;
  }
  return result;
}

interface Typed {
  type: string;
}

const withConditions = (old: Typed[], now: Typed[]): Typed[] => [
  ...old.filter(({ type }) => !now.some((condition) => condition.type === type)),
  ...now,
];
