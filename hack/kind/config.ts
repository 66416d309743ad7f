export type IpFamily = 'ipv4' | 'ipv6' | 'dual';

/** What decides a cluster's settings. */
export interface ConfigFacts {
  /** Nodes beside the one of the control plane. */
  workers: number;
  ipFamily: IpFamily;
  /** The machine has cgroup v1, which the kubelet takes only when told so. */
  cgroupV1: boolean;
  /** Nobody on the machine may lower an OOM score, which pods would be given. */
  restrictedOomScores: boolean;
}

/** The part of kind's v1alpha4 configuration that is used here. */
export interface KindConfig {
  kind: 'Cluster';
  apiVersion: 'kind.x-k8s.io/v1alpha4';
  networking: { ipFamily: IpFamily; kubeProxyMode: 'nftables' };
  /** YAML. */
  kubeadmConfigPatches: string[];
  /** TOML. */
  containerdConfigPatches: string[];
  nodes: Array<{ role: 'control-plane' | 'worker' }>;
}

const WITH_CGROUP_V1 = `kind: KubeletConfiguration
failCgroupV1: false
`;

const WITH_RESTRICTED_OOM_SCORES = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
`;

/** What kind is told about a cluster; its JSON is the YAML that kind reads. */
export const clusterConfig = ({ workers, ipFamily, cgroupV1, restrictedOomScores }: ConfigFacts): KindConfig => ({
  kind: 'Cluster',
  apiVersion: 'kind.x-k8s.io/v1alpha4',
  // The nodes that are built here have no other mode's tools in their image of kube-proxy.
  networking: { ipFamily, kubeProxyMode: 'nftables' },
  kubeadmConfigPatches: cgroupV1 ? [WITH_CGROUP_V1] : [],
  containerdConfigPatches: restrictedOomScores ? [WITH_RESTRICTED_OOM_SCORES] : [],
  nodes: [{ role: 'control-plane' }, ...Array.from({ length: workers }, () => ({ role: 'worker' as const }))],
});
