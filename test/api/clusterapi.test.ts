import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const machineOf = (name: string) => herd.api.get(resources.machines, { namespace: herd.namespace, name });

/** What clients of Cluster API expect of machines (hack/decisions/0000 2, "Also read"; hack/spec/cluster-api.md A1.12, F2, F5). */
describe('as in Cluster API', () => {
  // hack/decisions/0051 U1: the second one is that of a cluster-autoscaler with CAPI_GROUP=machine.sapcloud.io
  test.each(['cluster.x-k8s.io', 'machine.sapcloud.io'])(
    'a machine marked with %s/delete-machine is the first to go',
    async (group) => {
      await herd.makeDeployment({ replicas: 3 });
      const machines = await herd.whenRunning(3);
      const marked = machines.at(1)?.metadata.name ?? '';
      await herd.kubectl('annotate', `mc/${marked}`, `${group}/delete-machine=2026-11-22 15:04:05.06 +0000 UTC m=+1.5`);
      await herd.kubectl('scale', 'mcd/pool', '--replicas=2');
      const left = await herd.whenRunning(2);
      expect(left.map(({ metadata }) => metadata.name).sort()).toEqual(
        machines
          .map(({ metadata }) => metadata.name)
          .filter((name) => name !== marked)
          .sort(),
      );
    },
  );

  test('a paused machine is left alone, its deletion included, and goes on at once when it no longer is', async () => {
    await herd.apply(herd.alone('capi-m', 'small'));
    await herd.whenRunning(1);
    await herd.kubectl('annotate', 'mc/capi-m', 'cluster.x-k8s.io/paused=');
    await herd.kubectl('wait', 'mc/capi-m', '--for=condition=Paused', '--timeout=45s');
    await herd.kubectl('delete', 'mc/capi-m', '--wait=false');
    await herd.kubectl(
      'wait',
      'mc/capi-m',
      '--for=jsonpath={.status.currentStatus.phase}=Terminating',
      '--timeout=45s',
    );
    expect((await machineOf('capi-m')).status?.currentStep).toMatchObject({ name: 'Paused', reason: 'Paused' });
    expect(await herd.vms()).toHaveLength(1);
    await herd.kubectl('annotate', 'mc/capi-m', 'cluster.x-k8s.io/paused-');
    await herd.whenRunning(0);
  });

  test('a paused set makes no machine, and still counts (hack/spec/cluster-api.md F5 30)', async () => {
    await herd.makeDeployment({ replicas: 1 });
    await herd.whenRunning(1);
    const [set] = await herd.sets();
    const name = set?.metadata.name ?? '';
    await herd.kubectl('annotate', `mcs/${name}`, 'cluster.x-k8s.io/paused=');
    await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
    await herd.kubectl('wait', `mcs/${name}`, '--for=jsonpath={.status.replicas}=0', '--timeout=45s');
    expect(await herd.machines()).toEqual([]);
    await herd.kubectl('annotate', `mcs/${name}`, 'cluster.x-k8s.io/paused-');
    await herd.whenRunning(1);
  });

  test('hack/spec/cluster-api.md A1.12 L2, L5: a machine leaves with its VM and its Node, whether it has no Cluster or one that is gone', async () => {
    await herd.apply(herd.alone('capi-m', 'small'));
    await herd.apply(herd.alone('capi-gone', 'small', { 'cluster.k8s.io/cluster-name': 'gone' }));
    await herd.kubectl('wait', 'mc/capi-m', '--for=condition=NodeHealthy', '--timeout=45s');
    await herd.kubectl('wait', 'mc/capi-gone', '--for=condition=ClusterReachable=False', '--timeout=45s');
    const machines = await herd.machines();
    expect(await herd.nodesOf(machines)).toHaveLength(1);
    await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
    expect(await herd.nodesOf(machines)).toEqual([]);
    expect(await herd.vms()).toEqual([]);
  });

  test('hack/spec/cluster-api.md A1.3, A1.12 L9, L12: lastUpdated moves with the status only, one finalizer is ours, own conditions stand beside the Node’s', async () => {
    await herd.apply(herd.alone('capi-m', 'small'));
    await herd.kubectl('wait', 'mc/capi-m', '--for=condition=NodeHealthy', '--timeout=45s');
    const before = await machineOf('capi-m');
    expect(before.metadata.finalizers).toEqual([FINALIZER]);
    expect(before.status?.lastUpdated).toMatch(/^\d{4}-/);
    const types = before.status?.conditions?.map(({ type }) => type) ?? [];
    expect(types).toEqual(
      expect.arrayContaining(['Ready', 'MemoryPressure', 'VMCreated', 'NodeRegistered', 'NodeHealthy']),
    );
    expect(new Set(types).size).toBe(types.length);
    await herd.kubectl('annotate', 'mc/capi-m', 'a.test/b=c');
    await herd.apply(herd.alone('capi-later', 'small'));
    await herd.kubectl('wait', 'mc/capi-later', '--for=condition=NodeHealthy', '--timeout=45s');
    const after = await machineOf('capi-m');
    expect(after.status).toEqual(before.status ?? {});
  });
});
