import { describe, expect, test } from 'bun:test';
import { controllerOf } from '../../controller/runtime/k8s/object.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

describe('a MachineSet', () => {
  const set = (replicas: number) => ({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineSet',
    metadata: { name: 'set' },
    spec: {
      replicas,
      selector: { matchLabels: { set: 'x' } },
      template: { metadata: { labels: { set: 'x' } }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  });

  test('adopts a machine that nobody controls, and makes only what is missing (hack/spec/cluster-api.md F2 14)', async () => {
    await herd.apply(herd.alone('stray', 'small', { set: 'x' }));
    await herd.kubectl('wait', 'mc/stray', '--for=condition=NodeHealthy', '--timeout=45s');
    await herd.apply(set(2));
    const machines = await herd.whenRunning(2);
    const [owner] = await herd.sets();
    expect(machines.map(({ metadata }) => metadata.name)).toContain('stray');
    expect(machines.map((machine) => controllerOf(machine)?.uid)).toEqual([owner?.metadata.uid, owner?.metadata.uid]);
  });

  test('lets go of a machine whose labels no longer match, and replaces it (hack/spec/cluster-api.md F2 11)', async () => {
    await herd.apply(set(1));
    const [machine] = await herd.whenRunning(1);
    await herd.kubectl('label', 'mc', machine?.metadata.name ?? '', 'set=y', '--overwrite');
    const both = await herd.whenRunning(2);
    const released = both.find(({ metadata }) => metadata.uid === machine?.metadata.uid);
    expect(released?.metadata.ownerReferences).toBeUndefined();
  });

  test('backs off while somebody changes the labels of each machine that it makes (hack/spec/cluster-api.md F2 11)', async () => {
    await herd.makeClass('small', { faults: { vms: [{ fate: 'NeverJoins' }] } });
    await herd.apply(set(2));
    const labels = { metadata: { labels: { set: 'y' } } };
    await herd.eventually('a second failure', async () => {
      for (const { metadata } of await herd.machines())
        if (metadata.labels?.['set'] === 'x')
          await herd.api.patch(resources.machines, metadata, { type: 'merge', body: labels });
      return (await herd.sets()).some(({ status }) => (status?.creationBackOff?.failures ?? 0) > 1);
    });
    await herd.eventually('an event', async () => (await herd.events()).includes('BackOff'));
    expect((await herd.machines()).length).toBeLessThanOrEqual(6);
  });

  test('that does not select its own template makes nothing (hack/spec/cluster-api.md F2 10)', async () => {
    const { spec, ...rest } = set(3);
    await herd.apply({ ...rest, spec: { ...spec, selector: { matchLabels: { set: 'y' } } } });
    await herd.kubectl('wait', 'mcs/set', '--for=jsonpath={.status.observedGeneration}=1', '--timeout=45s');
    await herd.apply(herd.alone('other', 'small'));
    await herd.kubectl('wait', 'mc/other', '--for=condition=NodeHealthy', '--timeout=45s');
    expect((await herd.machines()).length).toBe(1);
  });

  test('counts no machine as ready for what its annotations say (hack/spec/cluster-api.md A1.12 L4)', async () => {
    await herd.makeClass('never', { faults: { vms: [{ fate: 'NeverJoins' }] } });
    await herd.apply(herd.alone('m', 'never', { set: 'x' }));
    await herd.kubectl('annotate', 'mc/m', 'ready=true');
    await herd.apply(set(1));
    await herd.kubectl('wait', 'mcs/set', '--for=jsonpath={.status.replicas}=1', '--timeout=45s');
    await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.currentStatus.phase}=Pending', '--timeout=45s');
    expect((await herd.sets()).map(({ status }) => status?.readyReplicas ?? 0)).toEqual([0]);
  });

  test('that shrinks gives its machines up in the order of hack/spec/mcm.md Annex B', async () => {
    await herd.makeClass('never', { faults: { vms: [{ fate: 'NeverJoins' }] } });
    await herd.makeClass('refused', { faults: { calls: [{ method: 'createMachine', answer: 'PermissionDenied' }] } });
    const phases = [
      ['first', 'small', 'Running'],
      ['older', 'small', 'Running'],
      ['younger', 'small', 'Running'],
      ['pending', 'never', 'Pending'],
      ['crashing', 'refused', 'CrashLoopBackOff'],
      ['marked', 'small', 'Running'],
    ] as const;
    for (const [name, machineClass, phase] of phases) {
      await herd.apply(herd.alone(name, machineClass, { set: 'x' }));
      await herd.kubectl(
        'wait',
        `mc/${name}`,
        `--for=jsonpath={.status.currentStatus.phase}=${phase}`,
        '--timeout=45s',
      );
      // Their ages are told apart by the second.
      if (name === 'older') await Bun.sleep(1_100);
    }
    await herd.kubectl('annotate', 'mc/first', 'machinepriority.machine.sapcloud.io=1', '--overwrite');
    const markedAt = new Date().toISOString().replace(/\.\d+/, '');
    await herd.kubectl('annotate', 'mc/marked', `machine.sapcloud.io/marked-for-deletion-time=${markedAt}`);
    await herd.apply(set(6));
    await herd.kubectl('wait', 'mcs/set', '--for=jsonpath={.status.replicas}=6', '--timeout=45s');
    for (const [index, victim] of ['first', 'marked', 'crashing', 'pending', 'older'].entries()) {
      await herd.kubectl('scale', 'mcs/set', `--replicas=${5 - index}`);
      await herd.kubectl('wait', `mc/${victim}`, '--for=delete', '--timeout=45s');
      expect(await herd.machines()).toHaveLength(5 - index);
    }
  }, 180_000);

  test('that selects everything makes nothing', async () => {
    const { spec, ...rest } = set(3);
    await herd.apply({ ...rest, spec: { ...spec, selector: {} } });
    await herd.apply(herd.alone('other', 'small'));
    await herd.kubectl('wait', 'mc/other', '--for=condition=NodeHealthy', '--timeout=45s');
    expect((await herd.machines()).length).toBe(1);
  });
});
