import { isMeantBy } from '../keypattern.ts';
import { LABEL_ZONE } from '../keys.ts';

/**
 * Labels of Kubernetes and its projects, by what NodeRestriction keeps a kubelet from setting on its own Node: all under these
 * names but {@link KUBELET_LABELS} (KEP-279). `a.io/*` is meant by its beginning, `*.a.io/*` by the end of its prefix.
 */
export const KUBERNETES_LABELS = ['kubernetes.io/*', '*.kubernetes.io/*', 'k8s.io/*', '*.k8s.io/*'] as const;

/** Labels of these names that a kubelet may set itself (IsKubeletLabel of k8s.io/kubelet/pkg/apis). */
export const KUBELET_LABELS = [
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  LABEL_ZONE,
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'node.kubernetes.io/*',
  '*.node.kubernetes.io/*',
  'kubelet.kubernetes.io/*',
  '*.kubelet.kubernetes.io/*',
] as const;

/** Whether a kubelet may set the label on its own Node, where NodeRestriction is on. */
export const isKubeletLabel = (key: string): boolean =>
  !isMeantBy({ keys: KUBERNETES_LABELS, except: KUBELET_LABELS }, key);
