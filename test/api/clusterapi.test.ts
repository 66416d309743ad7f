import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './useherd.ts';

const herd = useHerd();
const machineOf = (name: string) => herd.api.get(resources.machines, { namespace: herd.namespace, name });

/** What clients of Cluster API expect of machines (decisions 2, "Also read"; CKV A1.12, F2, F5). */
describe('as in Cluster API', () => {
  test('a machine marked with cluster.x-k8s.io/delete-machine is the first to go', async () => {
    await herd.makeDeployment({ replicas: 3 });
    const machines = await herd.whenRunning(3);
    const marked = machines.at(1)?.metadata.name ?? '';
    await herd.kubectl('annotate', `mc/${marked}`, 'cluster.x-k8s.io/delete-machine=yes');
    await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
    const left = await herd.whenRunning(2);
    expect(left.map(({ metadata }) => metadata.name).sort()).toEqual(
      machines
        .map(({ metadata }) => metadata.name)
        .filter((name) => name !== marked)
        .sort(),
    );
  });

  test('a paused machine is left alone, its deletion included, and goes on at once when it no longer is', async () => {
    await herd.apply(herd.alone('capi-m', 'small'));
    await herd.whenRunning(1);
    await herd.kubectl('annotate', 'mc/capi-m', 'cluster.x-k8s.io/paused=');
    await herd.kubectl('wait', 'mc/capi-m', '--for=condition=Unpaused=False', '--timeout=10s');
    await herd.kubectl('delete', 'mc/capi-m', '--wait=false');
    await herd.kubectl(
      'wait',
      'mc/capi-m',
      '--for=jsonpath={.status.currentStatus.phase}=Terminating',
      '--timeout=10s',
    );
    expect((await machineOf('capi-m')).status?.deciding).toEqual({ step: 'Unpaused', reason: 'Paused' });
    expect(await herd.vms()).toHaveLength(1);
    await herd.kubectl('annotate', 'mc/capi-m', 'cluster.x-k8s.io/paused-');
    await herd.whenRunning(0);
  });

  test('a paused set makes no machine, and still counts (CKV F5 30)', async () => {
    await herd.makeDeployment({ replicas: 1 });
    await herd.whenRunning(1);
    const [set] = await herd.sets();
    const name = set?.metadata.name ?? '';
    await herd.kubectl('annotate', `mcs/${name}`, 'cluster.x-k8s.io/paused=');
    await herd.kubectl('delete', 'mc', '--all', '--timeout=20s');
    await herd.kubectl('wait', `mcs/${name}`, '--for=jsonpath={.status.replicas}=0', '--timeout=10s');
    expect(await herd.machines()).toEqual([]);
    await herd.kubectl('annotate', `mcs/${name}`, 'cluster.x-k8s.io/paused-');
    await herd.whenRunning(1);
  });

  test('CKV A1.3, L9, L12: lastUpdated moves with the status only, one finalizer is ours, own conditions stand beside the Node’s', async () => {
    await herd.apply(herd.alone('capi-m', 'small'));
    await herd.kubectl('wait', 'mc/capi-m', '--for=condition=Healthy', '--timeout=10s');
    const before = await machineOf('capi-m');
    expect(before.metadata.finalizers).toEqual([FINALIZER]);
    expect(before.status?.lastUpdated).toMatch(/^\d{4}-/);
    const types = before.status?.conditions?.map(({ type }) => type) ?? [];
    expect(types).toEqual(expect.arrayContaining(['Ready', 'MemoryPressure', 'Created', 'Joined', 'Healthy']));
    expect(new Set(types).size).toBe(types.length);
    await herd.kubectl('annotate', 'mc/capi-m', 'a.test/b=c');
    await herd.apply(herd.alone('capi-later', 'small'));
    await herd.kubectl('wait', 'mc/capi-later', '--for=condition=Healthy', '--timeout=10s');
    const after = await machineOf('capi-m');
    expect(after.status).toEqual(before.status ?? {});
  });
});

/** What the cluster-autoscaler's clusterapi provider reads (CKV E1, E3). */
describe('as the cluster-autoscaler reads it', () => {
  test('a node group tells its capacity, its sets and machines whose they are, and a Node its machine', async () => {
    const nodeTemplate = {
      capacity: { cpu: '4', memory: '16Gi', gpu: '0' },
      instanceType: 'm',
      region: 'r',
      zone: 'z',
    };
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: 'told' },
      provider: 'virtual',
      providerSpec: {},
      nodeTemplate,
    });
    await herd.makeDeployment({ replicas: 1, class: 'told' });
    const [machine] = await herd.whenRunning(1);
    const [set] = await herd.sets();
    expect(set?.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'pool' });
    expect(set?.metadata.annotations).toMatchObject({ 'machinedeployment.clusters.x-k8s.io/revision': '1' });
    expect(machine?.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'pool' });
    const [node] = await herd.nodesOf(machine ? [machine] : []);
    expect(node?.metadata.annotations).toMatchObject({ 'machine.sapcloud.io/machine': machine?.metadata.name ?? '' });

    const prefix = 'capacity.cluster-autoscaler.kubernetes.io';
    const cpu = async () => (await herd.deployments())[0]?.metadata.annotations?.[`${prefix}/cpu`];
    expect(await cpu()).toBeUndefined();
    await herd.kubectl('annotate', 'mcd/pool', 'machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size=3');
    await herd.eventually('the capacity to be told', async () => (await cpu()) === '4');
    const larger = { nodeTemplate: { capacity: { cpu: '8' } } };
    await herd.kubectl('patch', 'mcc/told', '--type=merge', '-p', JSON.stringify(larger));
    await herd.eventually('the capacity to follow the class', async () => (await cpu()) === '8');
    await herd.kubectl('annotate', 'mcd/pool', '--overwrite', `${prefix}/cpu=2`);
    await herd.kubectl(
      'patch',
      'mcc/told',
      '--type=merge',
      '-p',
      JSON.stringify({ nodeTemplate: { capacity: { memory: '1Gi' } } }),
    );
    await herd.kubectl(
      'wait',
      'mcd/pool',
      `--for=jsonpath={.metadata.annotations.capacity\\.cluster-autoscaler\\.kubernetes\\.io/memory}=1Gi`,
      '--timeout=10s',
    );
    expect(await cpu()).toBe('2');
  });
});
