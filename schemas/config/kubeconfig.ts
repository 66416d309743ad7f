/** Where the access to a cluster is read from: the pod's own service account, or a kubeconfig file. */
export type KubeconfigSource = { from: 'pod' } | { from: 'file'; path: string };

/** MCM's word for the pod's own service account. */
export const IN_CLUSTER = 'inClusterConfig';

/** MCM's word for "there is no target cluster". */
export const NO_TARGET = 'none';

/** A kubeconfig setting as a source; an empty one is the pod's own (hack/spec/mcm.md 0.2). */
export const kubeconfigSource = (path: string): KubeconfigSource =>
  path === '' || path === IN_CLUSTER ? { from: 'pod' } : { from: 'file', path };

/** Which clusters the controller works with. */
export interface ClusterSources {
  control: KubeconfigSource;
  /** `control`: the same cluster; `none`: machines join no cluster. */
  target: KubeconfigSource | 'control' | 'none';
}

/** hack/spec/mcm.md 0.2: an empty control is the target, an empty target is the control, both empty are the pod's own cluster. */
export function clusterSources(settings: { controlKubeconfig: string; targetKubeconfig: string }): ClusterSources {
  const { controlKubeconfig: control, targetKubeconfig: target } = settings;
  if (target === NO_TARGET) return { control: kubeconfigSource(control), target: 'none' };
  if (target === '' || control === '' || control === target) {
    return { control: kubeconfigSource(control || target), target: 'control' };
  }
  return { control: kubeconfigSource(control), target: kubeconfigSource(target) };
}
