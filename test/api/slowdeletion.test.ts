import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

// hack/decisions/0055
describe('a Machine whose cloud answers a deletion before it is done', () => {
  test('stays with its Node until the VM has gone, and says so', async () => {
    await herd.makeClass('lingering', { latency: { terminate: '6s' } });
    await herd.apply(herd.alone('m', 'lingering'));
    const [machine] = await herd.whenRunning(1);
    if (!machine) throw new Error('there is no machine');
    await herd.api.delete(resources.machines, { namespace: herd.namespace, name: 'm' });
    await herd.whenDecided('m', 'VMTerminating');
    expect(await herd.vms()).toMatchObject([{ data: { state: 'Deleting' } }]);
    expect((await herd.nodesOf([machine])).length).toBe(1);
    await herd.eventually('the VM to go', async () => (await herd.vms()).length === 0);
    await herd.whenGone([machine]);
    expect(await herd.nodesOf([machine])).toEqual([]);
    await herd.kubectl('wait', 'mcc/lingering', '--for=condition=VMDeletionVerified', '--timeout=40s');
  });

  test('holds its place in its deployment, so that no second VM is made', async () => {
    await herd.makeClass('small', { latency: { terminate: '6s' } });
    await herd.makeDeployment({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    });
    const [victim] = await herd.whenRunning(1);
    const most: number[] = [];
    await herd.api.delete(resources.machines, { namespace: herd.namespace, name: victim?.metadata.name ?? '' });
    await herd.eventually('the replacement', async () => {
      most.push((await herd.vms()).length);
      return (await herd.machines()).some(
        ({ metadata, status }) => metadata.uid !== victim?.metadata.uid && status?.currentStatus?.phase === 'Running',
      );
    });
    expect(Math.max(...most)).toBe(1);
  });
});
