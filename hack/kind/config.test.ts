import { expect, test } from 'bun:test';
import { clusterConfig } from './config.ts';

const facts = { workers: 2, ipFamily: 'ipv4', cgroupV1: false, restrictedOomScores: false } as const;

test('a machine that can everything gets a plain cluster', () => {
  expect(clusterConfig(facts)).toEqual({
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    networking: { ipFamily: 'ipv4', kubeProxyMode: 'nftables' },
    kubeadmConfigPatches: [],
    containerdConfigPatches: [],
    nodes: [{ role: 'control-plane' }, { role: 'worker' }, { role: 'worker' }],
  });
});

test('on cgroup v1 the kubelet is told to take it', () => {
  const [patch = ''] = clusterConfig({ ...facts, cgroupV1: true }).kubeadmConfigPatches;
  expect(Bun.YAML.parse(patch)).toEqual({ kind: 'KubeletConfiguration', failCgroupV1: false });
});

test('where nobody may lower OOM scores, the container runtime does not', () => {
  const [patch = ''] = clusterConfig({ ...facts, restrictedOomScores: true }).containerdConfigPatches;
  expect(Bun.TOML.parse(patch)).toEqual({
    version: 2,
    plugins: { 'io.containerd.grpc.v1.cri': { restrict_oom_score_adj: true } },
  });
});

test('a cluster may be one node, and of another IP family', () => {
  const { nodes, networking } = clusterConfig({ ...facts, workers: 0, ipFamily: 'dual' });
  expect([nodes, networking.ipFamily]).toEqual([[{ role: 'control-plane' }], 'dual']);
});
