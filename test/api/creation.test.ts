import { describe, expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

const get = (name: string): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name });

const waitFor = (name: string, path: string): Promise<string> =>
  herd.kubectl('wait', `mc/${name}`, `--for=jsonpath=${path}`, '--timeout=25s');

describe('a Machine', () => {
  test('whose Node’s name was taken before is Failed at once, and leaves that Node alone (hack/spec/mcm.md 6.4, stale node)', async () => {
    const name = `stale-${herd.namespace}`;
    const taken = await herd.api.create(nodes, { metadata: { name }, spec: { providerID: 'other:///1' } });
    await Bun.sleep(1_000);
    const manifest = herd.alone(name, 'small', { node: name });
    await herd.apply({
      ...manifest,
      spec: { ...(manifest['spec'] as object), providerID: 'virtual:///of-another-name' },
    });
    await waitFor(name, '{.status.currentStatus.phase}=Failed');
    expect((await get(name)).status).toMatchObject({
      lastOperation: { type: 'Create', state: 'Failed', description: expect.stringContaining('VM using old node obj') },
      failureReason: 'NodeNameTaken',
    });
    await herd.kubectl('delete', 'mc', name, '--timeout=45s');
    expect((await herd.api.get(nodes, taken.metadata)).metadata.uid).toBe(taken.metadata.uid as string);
    await herd.api.delete(nodes, taken.metadata);
  });

  test('whose initialization fails once is initialized again, and runs (hack/decisions/0000 6)', async () => {
    const faults = { calls: [{ method: 'initializeMachine', answer: 'Internal', times: 1 }] };
    await herd.makeClass('twice', { initialize: true, faults });
    await herd.apply(herd.alone('m', 'twice'));
    await waitFor('m', '{.status.currentStatus.phase}=CrashLoopBackOff');
    expect((await get('m')).status?.lastOperation).toMatchObject({
      type: 'Create',
      state: 'Failed',
      errorCode: 'Internal',
    });
    await waitFor('m', '{.status.currentStatus.phase}=Running');
  });

  test('is written to once for an error that repeats itself', async () => {
    await herd.makeClass('shaky', {
      faults: { calls: [{ method: 'createMachine', answer: 'Unavailable', times: 2 }] },
    });
    const { resourceVersion } = await herd.api.list(resources.machines, { namespace: herd.namespace });
    const end = new AbortController();
    const { signal } = end;
    const watch = herd.api.watch(resources.machines, {
      namespace: herd.namespace,
      resourceVersion,
      timeoutSeconds: 60,
      signal,
    });
    await herd.apply(herd.alone('m', 'shaky'));
    let failures = 0;
    for await (const { object } of watch) {
      const { spec, status } = object as Machine;
      const isRecorded = Boolean(spec?.providerID);
      if (status?.currentStatus?.phase === 'CrashLoopBackOff' && !isRecorded) failures += 1;
      if (isRecorded) break;
    }
    end.abort();
    expect(failures).toBe(1);
  });
});

describe('a MachineSet whose machines fail before they run (hack/spec/cluster-api.md F4 21, 22)', () => {
  const set = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet', metadata: { name: 'set' } };
  const labels = { pool: 'set' };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { class: { kind: 'MachineClass', name: 'bad' }, creationTimeout: '2s' },
    },
  };
  const seen = async () => (await herd.sets()).find(({ metadata }) => metadata.name === 'set')?.status?.creationBackOff;

  test('replaces one at once, then backs off, goes on when it is changed, and forgets when one runs', async () => {
    await herd.makeClass('bad', { faults: { calls: [{ method: 'createMachine', answer: 'PermissionDenied' }] } });
    await herd.apply({ ...set, spec });
    await herd.eventually('a second failure', async () => (await seen())?.failures === 2);
    await herd.eventually('no machine to be left', async () => (await herd.machines()).length === 0);
    await herd.eventually('an event', async () => (await herd.events()).includes('BackOff'));
    expect(await herd.machines()).toEqual([]);
    await herd.makeClass('bad');
    expect(await herd.machines()).toEqual([]);
    await herd.kubectl('scale', 'mcs/set', '--replicas=2');
    await herd.whenRunning(2);
    await herd.eventually('the failures to be forgotten', async () => (await seen()) === undefined);
  });

  test('is explained by its MachineDeployment, with what the last machine said', async () => {
    await herd.makeClass('bad', { faults: { calls: [{ method: 'createMachine', answer: 'PermissionDenied' }] } });
    const told = { metadata: { labels: { pool: 'told' } }, spec: spec.template.spec };
    await herd.makeDeployment({ name: 'told', replicas: 1, template: told });
    await herd.kubectl('wait', 'mcd/told', '--for=condition=ReplicaFailure', '--timeout=30s');
    const text = await herd.kubectl('describe', 'mcd', 'told');
    expect(text).toMatch(/2 machines in a row failed before they ran; the last one: .*createMachine/);
    expect(text).toMatch(/Reason: +BackOff/);
  });
});
