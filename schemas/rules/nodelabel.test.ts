import { expect, test } from 'bun:test';
import { isKubeletLabel } from './nodelabel.ts';

test.each<[string, boolean]>([
  ['example.io/pool', true],
  ['pool', true],
  ['notkubernetes.io/pool', true],
  ['worker.gardener.cloud/pool', true],
  ['kubernetes.io/hostname', true],
  ['kubernetes.io/hostname2', false],
  ['beta.kubernetes.io/instance-type', true],
  ['topology.kubernetes.io/zone', true],
  ['topology.kubernetes.io/rack', false],
  ['node.kubernetes.io/role', true],
  ['example.io.node.kubernetes.io/role', true],
  ['xnode.kubernetes.io/role', false],
  ['kubelet.kubernetes.io/note', true],
  ['node-role.kubernetes.io/control-plane', false],
  ['node-restriction.kubernetes.io/vault', false],
  ['example.io.node-restriction.kubernetes.io/vault', false],
  ['kubernetes.io/role', false],
  ['k8s.io/cloud-provider-aws', false],
  ['kops.k8s.io/instancegroup', false],
])('%s is a kubelet’s to set: %p (hack/decisions/0028 T20)', (key, is) => expect(isKubeletLabel(key)).toBe(is));
