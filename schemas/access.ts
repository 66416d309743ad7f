/** What a program may do in the cluster, as rows; RBAC files and the chart are generated from them. */

/** Namespace in which Drover runs. */
export const NAMESPACE = 'drover-system';

/** One right, and why the program needs it. */
export interface Access {
  /** API group; empty for the core group. */
  group: string;
  /** Plurals, with a subresource after a slash. */
  resources: readonly string[];
  /** Verbs of Kubernetes, and `override` of ours (decisions 5). */
  verbs: readonly string[];
  /** Only objects of these names; cannot be said of create and list. */
  names?: readonly string[];
  /** In all namespaces, or in one. */
  scope: 'cluster' | `namespace:${string}`;
  /** One line for whoever reviews the roles. */
  why: string;
}
