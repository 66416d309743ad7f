import { describe, expect, test } from 'bun:test';
import { configMaps, nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

describe('a Machine', () => {
  test('whose VM vanished is Failed, never made again, and replaced by its set', async () => {
    await herd.makeDeployment({ replicas: 2 });
    const [victim] = await herd.whenRunning(2);
    const uid = victim?.metadata.uid ?? '';
    await herd.api.delete(configMaps, { namespace: 'drover-virtual-cloud', name: uid });
    await herd.eventually(
      'the machine to be replaced',
      async () => {
        const uids = (await herd.machines()).map(({ metadata }) => metadata.uid);
        expect((await herd.vms()).map(({ metadata }) => metadata.name)).not.toContain(uid);
        return uids.length === 2 && !uids.includes(uid);
      },
      { timeoutMs: 45_000 },
    );
    await herd.whenRunning(2);
    expect(await herd.nodesOf(victim ? [victim] : [])).toEqual([]);
  });

  test('of its own runs, is Failed when its VM vanishes, and stays to be looked at', async () => {
    await herd.apply(herd.alone('lone', 'small'));
    const [machine] = await herd.whenRunning(1);
    await herd.api.delete(configMaps, { namespace: 'drover-virtual-cloud', name: machine?.metadata.uid ?? '' });
    await herd.kubectl('wait', 'mc/lone', '--for=jsonpath={.status.currentStatus.phase}=Failed', '--timeout=45s');
    const failed = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'lone' });
    expect(failed.status).toMatchObject({ errorReason: 'VMNotFound', failureReason: 'VMNotFound', phase: 'Failed' });
    expect(failed.spec?.providerID).toBe(`virtual:///${machine?.metadata.uid}`);
    expect(await herd.vms()).toEqual([]);
  });

  test('of a class that no driver here serves is left alone', async () => {
    await herd.makeClass('elsewhere', {}, 'AWS');
    await herd.apply(herd.alone('foreign', 'elsewhere'));
    await herd.apply(herd.alone('ours', 'small'));
    await herd.kubectl('wait', 'mc/ours', '--for=condition=NodeHealthy', '--timeout=45s');
    const foreign = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'foreign' });
    expect([foreign.metadata.finalizers, foreign.status, foreign.spec?.providerID]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('whose class a driver refuses says why, and goes on when the class is mended (hack/spec/cluster-api.md A1.12 L6)', async () => {
    await herd.makeClass('odd', { latencies: {} });
    await herd.apply(herd.alone('m', 'odd'));
    await herd.kubectl(
      'wait',
      'mc/m',
      '--for=jsonpath={.status.currentStatus.phase}=CrashLoopBackOff',
      '--timeout=45s',
    );
    const { status } = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
    expect(status).toMatchObject({
      errorReason: 'InvalidArgument',
      lastOperation: { errorCode: 'InvalidArgument', type: 'Create', state: 'Failed' },
    });
    expect(status?.errorMessage).toContain('latencies');
    await herd.api.patch(
      resources.machineClasses,
      { namespace: herd.namespace, name: 'odd' },
      { type: 'merge', body: { providerSpec: { latencies: null } } },
    );
    await herd.kubectl('wait', 'mc/m', '--for=condition=NodeHealthy', '--timeout=45s');
    const mended = await herd.api.get(resources.machines, { namespace: herd.namespace, name: 'm' });
    expect([mended.status?.errorReason, mended.status?.errorMessage]).toEqual([undefined, undefined]);
  });

  test('without its class waits for it, and with a Secret missing for that', async () => {
    await herd.apply(herd.alone('m', 'later'));
    await herd.whenDecided('m', 'ClassNotFound');
    await herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineClass',
      metadata: { name: 'later' },
      provider: 'virtual',
      providerSpec: {},
      secretRef: { name: 'later' },
    });
    await herd.whenDecided('m', 'SecretNotFound');
    await herd.kubectl('create', 'secret', 'generic', 'later', '--from-literal=userData=x');
    await herd.kubectl('wait', 'mc/m', '--for=condition=NodeHealthy', '--timeout=45s');
  });

  test('for which there is no room tells the autoscaler', async () => {
    await herd.makeClass('full', { capacity: 1 });
    await herd.apply(herd.alone('first', 'full'));
    await herd.kubectl('wait', 'mc/first', '--for=condition=NodeHealthy', '--timeout=45s');
    await herd.apply(herd.alone('second', 'full'));
    await herd.kubectl(
      'wait',
      'mc/second',
      '--for=jsonpath={.status.lastOperation.errorCode}=ResourceExhausted',
      '--timeout=45s',
    );
  });

  test('whose Node’s name is taken does not touch the other’s Node', async () => {
    const taken = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `taken-${herd.namespace}` },
      spec: { providerID: 'other:///1' },
    };
    await herd.api.create(nodes, taken);
    await herd.apply(herd.alone(taken.metadata.name, 'small'));
    const refused = '--for=jsonpath={.status.lastOperation.errorCode}=AlreadyExists';
    await herd.kubectl('wait', `mc/${taken.metadata.name}`, refused, '--timeout=45s');
    await herd.kubectl('delete', 'mc', taken.metadata.name, '--timeout=45s');
    expect((await herd.api.get(nodes, taken.metadata)).spec?.providerID).toBe('other:///1');
    await herd.api.delete(nodes, taken.metadata);
  });

  test('with an inline spec needs no class', async () => {
    const { apiVersion, kind } = herd.alone('inline', '');
    await herd.apply({
      apiVersion,
      kind,
      metadata: { name: 'inline' },
      spec: { provider: 'virtual', providerSpec: {} },
    });
    await herd.kubectl('wait', 'mc/inline', '--for=condition=NodeHealthy', '--timeout=45s');
  });
});
