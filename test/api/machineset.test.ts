import { describe, expect, test } from 'bun:test';
import { controllerOf } from '../../controller/runtime/object.ts';
import { useHerd } from './useherd.ts';

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

  test('adopts a machine that nobody controls, and makes only what is missing', async () => {
    await herd.apply(herd.alone('stray', 'small', { set: 'x' }));
    await herd.kubectl('wait', 'mc/stray', '--for=condition=Healthy', '--timeout=10s');
    await herd.apply(set(2));
    const machines = await herd.whenRunning(2);
    const [owner] = await herd.sets();
    expect(machines.map(({ metadata }) => metadata.name)).toContain('stray');
    expect(machines.map((machine) => controllerOf(machine)?.uid)).toEqual([owner?.metadata.uid, owner?.metadata.uid]);
  });

  test('lets go of a machine whose labels no longer match, and replaces it', async () => {
    await herd.apply(set(1));
    const [machine] = await herd.whenRunning(1);
    await herd.kubectl('label', 'mc', machine?.metadata.name ?? '', 'set=y', '--overwrite');
    const both = await herd.whenRunning(2);
    const released = both.find(({ metadata }) => metadata.uid === machine?.metadata.uid);
    expect(released?.metadata.ownerReferences).toBeUndefined();
  });

  test('that selects everything makes nothing', async () => {
    const { spec, ...rest } = set(3);
    await herd.apply({ ...rest, spec: { ...spec, selector: {} } });
    await herd.apply(herd.alone('other', 'small'));
    await herd.kubectl('wait', 'mc/other', '--for=condition=Healthy', '--timeout=10s');
    expect((await herd.machines()).length).toBe(1);
  });
});
