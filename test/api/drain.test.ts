import { describe, expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { volumeAttachments } from '../../controller/runtime/k8s/workload.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useLeaver } from './support/leaverfixture.ts';

const flags = ['--machine-pv-detach-timeout=2s', '--machine-pv-reattach-timeout=2s'];
const { herd, workload, leave, gone, start, stop } = useLeaver('drain', flags);

const machine = (): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
const clocks = async () => (await machine()).status?.deletion?.drain;

const readiness = async () =>
  (await herd.api.get(nodes, { name: 'm' })).status?.conditions?.find(({ type }) => type === 'Ready');
/** The VM breaks: its Node falls silent, and does not come back. */
const breaking = ({ metadata }: Machine): string[] => {
  const data = '{"data":{"broken":"true"}}';
  return ['patch', 'configmap', '-n', 'drover-virtual-cloud', metadata.uid ?? '', '--type=merge', '-p', data];
};

/** Waits until the status says this of the pods, such as `a Refused`. */
async function told(...expected: string[]): Promise<void> {
  await herd.eventually(`pods ${expected}`, async () => {
    const list = (await clocks())?.pods?.map(({ name, result }) => `${name.split('/')[1]} ${result}`) ?? [];
    return Bun.deepEquals(list, expected);
  });
}

describe('a Machine that leaves (hack/spec/cluster-api.md A1.12 L10)', () => {
  test('is cordoned, and its pods are evicted before its VM goes; mirror and DaemonSet pods stay', async () => {
    await workload.run('a');
    await workload.run('b');
    await workload.run('daemon', { owner: 'DaemonSet' });
    await workload.run('mirror', { mirror: true });
    await leave();
    await gone();
    expect((await workload.pods()).map(({ metadata }) => metadata.name)).toEqual(['daemon', 'mirror']);
    expect(await herd.vms()).toEqual([]);
  });

  test('tells its Node and its status so, in MCM’s words', async () => {
    await workload.run('a');
    await workload.protect('a');
    await leave();
    await told('a Refused');
    const node = await herd.api.get(nodes, { name: 'm' });
    expect(node.spec?.unschedulable).toBe(true);
    expect(node.status?.conditions?.find(({ type }) => type === 'Terminating')).toMatchObject({
      status: 'True',
      reason: 'ScaleDown',
    });
    const { status } = await machine();
    expect(status).toMatchObject({
      currentStatus: { phase: 'Terminating' },
      lastOperation: { type: 'Delete', state: 'Processing', description: 'Initiate node drain' },
      currentStep: { name: 'Drained', reason: 'EvictionBlocked' },
    });
  });
});

describe('a disruption budget', () => {
  test('that allows nothing now holds the drain, and is named; when it lets go, the drain goes on', async () => {
    await workload.run('a');
    await workload.run('b');
    await workload.protect('a', { expectedPods: 2, currentHealthy: 1, desiredHealthy: 1 });
    await leave();
    await told('a Refused');
    expect((await clocks())?.pods?.[0]?.reason).toBe(
      'PodDisruptionBudget "a" allows no disruption now: healthy pods 1, needed 1',
    );
    expect((await workload.pods()).map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(await herd.vms()).toHaveLength(1);
    await workload.unprotect('a');
    await herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=40s');
  });

  test('that never allows anything is said to be misconfigured (hack/spec/mcm.md 7.3)', async () => {
    await workload.run('a');
    await workload.protect('a', { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 });
    await leave();
    await told('a Misconfigured');
    expect((await clocks())?.pods?.[0]?.reason).toContain('PodDisruptionBudget "a" is misconfigured');
    const events = await herd.events();
    expect(events).toContain('PodDisruptionBudgetMisconfigured');
  });
});

describe('a drain', () => {
  test('goes on after the controller was killed in the middle of it, with the same clocks (hack/spec/mcm.md 13.8)', async () => {
    await workload.run('a');
    await workload.run('b');
    await workload.protect('a');
    await workload.protect('b');
    await leave();
    await told('a Refused', 'b Refused');
    const before = await clocks();
    await stop();
    await workload.unprotect('b');
    await start();
    await told('a Refused');
    const after = await clocks();
    expect([after?.startedAt, after?.deadline]).toEqual([before?.startedAt, before?.deadline]);
    expect(Date.parse(after?.deadline ?? '') - Date.parse(after?.startedAt ?? '')).toBe(7_200_000);
  });

  test('is forced by a label in the middle of it, without regard for budgets (hack/spec/mcm.md 13.9)', async () => {
    await workload.run('a');
    await workload.protect('a');
    await leave();
    await told('a Refused');
    await herd.kubectl('label', 'mc', 'm', 'force-deletion=true');
    await gone();
    expect(await workload.pods()).toEqual([]);
  });

  test('is forced when its time is over', async () => {
    await workload.run('a');
    await workload.protect('a');
    await herd.kubectl('patch', 'mc', 'm', '--type=merge', '-p', '{"spec":{"drainTimeout":"3s"}}');
    await leave();
    await told('a Refused');
    await gone();
    expect(await workload.pods()).toEqual([]);
  });

  /** The Node falls silent, and has been so for five minutes. */
  async function lose(): Promise<void> {
    await herd.kubectl(...breaking(await machine()));
    await herd.eventually('the Node to be silent', async () => (await readiness())?.status === 'Unknown');
    const lastTransitionTime = new Date(Date.now() - 301_000).toISOString();
    const body = { status: { conditions: [{ ...(await readiness()), lastTransitionTime }] } };
    await herd.api.patch(nodes, { name: 'm' }, { type: 'strategic', body }, { subresource: 'status' });
  }

  test('is forced on a Node that has not been ready for five minutes', async () => {
    await workload.run('a');
    await workload.protect('a');
    await herd.kubectl(...breaking(await machine()));
    await leave();
    await told('a Refused');
    await lose();
    await gone();
    expect(await workload.pods()).toEqual([]);
  });

  // hack/decisions/0051 L6
  test('on such a Node detaches volumes when the VM is gone, and the Node is out of service', async () => {
    const attachment = await workload.attach('pv-1', { finalizer: true });
    await lose();
    await leave();
    await herd.eventually('the Node to be out of service', async () => {
      const { spec } = await herd.api.get(nodes, { name: 'm' });
      return (
        spec?.taints?.some(({ key, effect }) => key.endsWith('/out-of-service') && effect === 'NoExecute') ?? false
      );
    });
    expect(await herd.vms()).toEqual([]);
    await gone();
    expect(await workload.attachments()).toContain(attachment);
  });

  test('that is forced detaches what volumes are left', async () => {
    const attachment = await workload.attach('pv-1');
    await herd.kubectl('label', 'mc', 'm', 'force-deletion=true');
    await leave();
    await gone();
    expect(await workload.attachments()).not.toContain(attachment);
  });

  test('that is forced waits neither for a pod that a finalizer holds, nor for a volume longer than told', async () => {
    await workload.run('a', { finalizer: true });
    const attachment = await workload.attach('pv-1', { finalizer: true });
    await herd.kubectl('label', 'mc', 'm', 'force-deletion=true');
    await leave();
    await herd.whenDecided('m', 'VolumesDetaching');
    expect(await herd.vms()).toHaveLength(1);
    await gone();
    expect((await workload.pods())[0]?.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(await workload.attachments()).toContain(attachment);
  });

  test('waits for volumes that nobody attaches elsewhere no longer than told', async () => {
    await workload.run('a', { claim: 'pv-a' });
    const attachment = await workload.attach('pv-a');
    await leave();
    await herd.whenDecided('m', 'WaitingForVolumes');
    await herd.api.delete(volumeAttachments, { name: attachment });
    await gone();
  });

  test('ends when the Node goes', async () => {
    await workload.run('a');
    await workload.protect('a');
    await leave();
    await told('a Refused');
    await herd.kubectl(...breaking(await machine()));
    await herd.api.delete(nodes, { name: 'm' });
    await gone();
  });

  test('moves pods with volumes one after the other, and waits for their volumes (hack/spec/mcm.md 13.10)', async () => {
    await workload.run('first', { claim: 'pv-a', important: true });
    await workload.run('second', { claim: 'pv-b' });
    const [a, b] = [await workload.attach('pv-a'), await workload.attach('pv-b')];
    await leave();
    await herd.whenDecided('m', 'WaitingForVolumes');
    expect((await workload.pods()).map(({ metadata }) => metadata.name)).toEqual(['second']);
    await workload.move(a, 'pv-a');
    await herd.eventually('the second to leave', async () => (await workload.pods()).length === 0);
    expect(await herd.vms()).toHaveLength(1);
    await workload.move(b, 'pv-b');
    await gone();
  });
});

test('many pods leave together', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `p${n}`);
  await Promise.all(names.map((name) => workload.run(name)));
  await leave();
  await gone();
  expect(await workload.pods()).toEqual([]);
});
