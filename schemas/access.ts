/** What a program may do in the cluster, as rows; RBAC files and the chart are generated from them. */

/** Name of Drover's installation, with which the names of its objects begin; the chart puts the release's in its place. */
export const RELEASE = 'drover';

/** Namespace in which Drover runs; the chart puts the release's in its place. */
export const NAMESPACE = 'drover-system';

/** What not every installation has: the virtual driver, a certificate that the webhook issues, an authority that it makes known. */
export type Condition = 'virtual' | 'issues' | 'publishes';

/** One right, and why the program needs it. */
export interface Access {
  /** API group; empty for the core group. */
  group: string;
  /** Plurals, with a subresource after a slash. */
  resources: readonly string[];
  /** Verbs of Kubernetes, and `override` of ours (hack/decisions/0000 5). */
  verbs: readonly string[];
  /** Only objects of these names; cannot be said of create and list. */
  names?: readonly string[];
  /** Objects without a namespace or in all namespaces, those in the namespaces that are looked after, or those in one. */
  scope: 'cluster' | 'followed' | `namespace:${string}`;
  /** The cluster that holds the Machines, or one that they join; the two may be the same. */
  cluster: 'control' | 'target';
  /** Needed only then; always unless said. */
  when?: Condition;
  /** One line for whoever reviews the roles. */
  why: string;
}
