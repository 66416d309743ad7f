import { describe, expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { useLeaver } from './support/leaverfixture.ts';

const { herd, workload, leave, gone, start, stop } = useLeaver('hooks');

describe('hooks of Cluster API (hack/spec/cluster-api.md A1.12 L10)', () => {
  test('hold the drain and the VM until they are taken off', async () => {
    const [drain, terminate] = ['pre-drain', 'pre-terminate'].map(
      (when) => `${when}.delete.hook.machine.cluster.x-k8s.io/test`,
    );
    await workload.run('a');
    await herd.kubectl('annotate', 'mc', 'm', `${drain}=me`, `${terminate}=me`);
    await leave();
    await herd.whenDecided('m', 'WaitingForPreDrainHook');
    expect(await workload.pods()).toHaveLength(1);
    expect((await herd.api.get(nodes, { name: 'm' })).spec?.unschedulable).toBeUndefined();
    await herd.kubectl('annotate', 'mc', 'm', `${drain}-`);
    await herd.whenDecided('m', 'WaitingForPreTerminateHook');
    expect([(await workload.pods()).length, (await herd.vms()).length]).toEqual([0, 1]);
    await herd.kubectl('annotate', 'mc', 'm', `${terminate}-`);
    await gone();
  });

  // hack/decisions/0051 U11
  test('hold a machine whose Node somebody deleted', async () => {
    const hook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/test';
    await herd.kubectl('annotate', 'mc', 'm', `${hook}=me`);
    await stop();
    await herd.api.delete(nodes, { name: 'm' });
    await leave();
    await start();
    await herd.whenDecided('m', 'WaitingForPreDrainHook');
    expect(await herd.vms()).toHaveLength(1);
    await herd.kubectl('annotate', 'mc', 'm', `${hook}-`);
    await gone();
  });

  test('hold a machine whose VM is to stay', async () => {
    const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/test';
    const policy = (value: string) =>
      herd.kubectl('patch', 'mc', 'm', '--type=merge', '-p', `{"spec":{"deletionPolicy":"${value}"}}`);
    await herd.kubectl('annotate', 'mc', 'm', `${hook}=me`);
    await policy('Retain');
    await leave();
    await herd.whenDecided('m', 'WaitingForPreTerminateHook');
    await policy('Delete');
    await herd.kubectl('annotate', 'mc', 'm', `${hook}-`);
    await gone();
  });
});

// hack/decisions/0051 U14
test('a machine that is excluded from drains goes without one', async () => {
  const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/test';
  await workload.run('a');
  await herd.kubectl('annotate', 'mc', 'm', 'machine.cluster.x-k8s.io/exclude-node-draining=', `${hook}=me`);
  await leave();
  await herd.whenDecided('m', 'WaitingForPreTerminateHook');
  expect(await workload.pods()).toHaveLength(1);
  expect((await herd.api.get(nodes, { name: 'm' })).spec?.unschedulable).toBeUndefined();
  await herd.kubectl('annotate', 'mc', 'm', `${hook}-`);
  await gone();
});
