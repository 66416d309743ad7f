import type { KubeObject } from '../../controller/runtime/k8s/object.ts';

/** Who attacks: a tenant, whom RBAC allows to write our kinds in two namespaces of his; or who has taken one of our pods. */
export type Attacker = 'mallory' | 'controller' | 'webhook';

/** Objects as a manifest has them; `NAME` and `NAMESPACE` stand for those of the attack. */
export type Manifest = Partial<KubeObject> & { kind: string; metadata: object } & Record<string, unknown>;

/** One request, and what must become of it. */
export interface Attack {
  who: Attacker;
  /** Goes on after who it is. */
  tries: string;
  /** In which namespaces of the tenant: one that the webhook guards, one that it does not, or both, which is usual. */
  where?: 'guarded' | 'loose';
  /** What is there before, made by an administrator. */
  given?: readonly Manifest[];
  /** What of it is being deleted by then, held by a finalizer. */
  leaving?: string;
  /** The words of kubectl; `-f -` reads `stdin`. */
  does?: string;
  /** A merge patch in place of it: kubectl reads what it patches, which not everybody may. */
  sends?: { path: string; body: unknown };
  stdin?: Manifest;
  /** What the API server says when it refuses; or that it lets it through, for nothing comes of it. */
  must: RegExp | 'pass';
  /** What else must hold afterwards, or come to hold within seconds. */
  after?: (scene: Scene) => Promise<boolean>;
}

/** Where an attack takes place, for whoever looks what came of it. */
export interface Scene {
  namespace: string;
  name: string;
  /** What kubectl prints for an administrator, in the namespace; empty when it fails. */
  look(words: string): Promise<string>;
}

const apiVersion = 'machine.sapcloud.io/v1alpha1';

/** A Machine called NAME of a class that is not there, so that nothing is made of it. */
export const machine = (metadata: object = {}, spec: object = {}): Manifest => ({
  apiVersion,
  kind: 'Machine',
  metadata: { name: 'NAME', ...metadata },
  spec: { class: { kind: 'MachineClass', name: 'none' }, ...spec },
});

const template = (metadata: object, spec: object) => ({
  metadata: { labels: { herd: 'NAME' }, ...metadata },
  spec: { class: { kind: 'MachineClass', name: 'none' }, ...spec },
});

/** A set or deployment of no machines, with something in its template. */
export const templated = (
  kind: 'MachineSet' | 'MachineDeployment',
  { metadata = {}, spec = {} }: { metadata?: object; spec?: object } = {},
): Manifest => ({
  apiVersion,
  kind,
  metadata: { name: 'NAME' },
  spec: { replicas: 0, selector: { matchLabels: { herd: 'NAME' } }, template: template(metadata, spec) },
});

/** A Cluster whose kubeconfig is in the Secret of its name. */
export const cluster = (spec: object = {}): Manifest => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'NAME' },
  spec: { kubeconfigSecretRef: { name: 'NAME' }, ...spec },
});

/** A Secret of the type; `data` in plain words. */
export const secret = (data: Record<string, string>, more: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'NAME' },
  stringData: data,
  ...more,
});

/** What refuses: the policy of that name, or the webhook by that sentence. */
export const byPolicy = (id: string): RegExp => new RegExp(`ValidatingAdmissionPolicy '${id}`);
/** RBAC, before admission is even asked. */
export const byRbac = /is forbidden: User ".*" cannot|cannot impersonate/;
