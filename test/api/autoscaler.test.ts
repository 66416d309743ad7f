import { beforeEach, expect, test } from 'bun:test';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const CPU = 'capacity.cluster-autoscaler.kubernetes.io/cpu';
const MEMORY = 'capacity.cluster-autoscaler.kubernetes.io/memory';
const capacity = { cpu: '4', memory: '16Gi', gpu: '0' };

beforeEach(() =>
  herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name: 'told' },
    provider: 'virtual',
    providerSpec: {},
    nodeTemplate: { capacity, instanceType: 'm', region: 'r', zone: 'z' },
  }),
);

test('sets and machines tell of which deployment they are, and a Node of which machine (hack/spec/cluster-api.md E1)', async () => {
  await herd.makeDeployment({ replicas: 1, class: 'told' });
  const [machine] = await herd.whenRunning(1);
  const [set] = await herd.sets();
  expect(set?.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'pool' });
  expect(set?.metadata.annotations).toMatchObject({ 'machinedeployment.clusters.x-k8s.io/revision': '1' });
  expect(machine?.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'pool' });
  const [node] = await herd.nodesOf(machine ? [machine] : []);
  expect(node?.metadata.annotations).toMatchObject({
    'machine.sapcloud.io/machine': machine?.metadata.name ?? '',
    'machine.sapcloud.io/cluster-namespace': herd.namespace,
  });
});

test('a node group tells its capacity, which follows the class until the user has written another (hack/spec/cluster-api.md E3.7)', async () => {
  await herd.makeDeployment({ replicas: 0, class: 'told' });
  const told = async (key: string) => (await herd.deployments())[0]?.metadata.annotations?.[key];
  const change = (changed: object) =>
    herd.kubectl('patch', 'mcc/told', '--type=merge', '-p', JSON.stringify({ nodeTemplate: { capacity: changed } }));
  await herd.kubectl('wait', 'mcd/pool', '--for=condition=Available', '--timeout=45s');
  expect(await told(CPU)).toBeUndefined();
  await herd.kubectl('annotate', 'mcd/pool', 'machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size=3');
  await herd.eventually('the capacity to be told', async () => (await told(CPU)) === '4');
  await change({ cpu: '8' });
  await herd.eventually('the capacity to follow the class', async () => (await told(CPU)) === '8');
  await herd.kubectl('annotate', 'mcd/pool', '--overwrite', `${CPU}=2`);
  await change({ memory: '1Gi' });
  await herd.eventually('the rest to follow the class', async () => (await told(MEMORY)) === '1Gi');
  expect(await told(CPU)).toBe('2');
});
