import { expect, test } from 'bun:test';
import { configMaps } from '../../../controller/runtime/k8s/core.ts';
import { resources } from '../../../schemas/kinds.ts';
import { type Farm, refusalOf } from './farm.ts';

/** What comes of a PUT. */
export function updates(farm: Farm): void {
  test('only while they are of the version that was read', async () => {
    const first = await farm.configMap();
    const second = await farm.api.replace(configMaps, { ...first, data: { wool: 'black' } });
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    expect(await refusalOf(farm.api.replace(configMaps, { ...first, data: { wool: 'red' } }))).toBe('409 Conflict');
  });

  test('without a version those that are built in, and no custom ones', async () => {
    const { metadata } = await farm.configMap();
    const blind = await farm.api.replace(configMaps, { metadata: farm.ref(metadata.name), data: { wool: 'red' } });
    expect(blind.data).toEqual({ wool: 'red' });
    const machine = await farm.machine();
    const { resourceVersion: _, ...unversioned } = machine.metadata;
    expect(await refusalOf(farm.api.replace(resources.machines, { ...machine, metadata: unversioned }))).toBe(
      '422 Invalid',
    );
  });

  test('without a new version when nothing changes', async () => {
    const machine = await farm.machine();
    expect(await farm.api.replace(resources.machines, machine)).toEqual(machine);
    expect((await farm.change(machine, { metadata: { labels: {} } })).metadata.resourceVersion).toBe(
      machine.metadata.resourceVersion,
    );
  });

  test('counting a generation for each change of what is wished for, and for no other', async () => {
    const machine = await farm.machine();
    const generations = [
      await farm.change(machine, { metadata: { labels: { flock: 'a' } } }),
      await farm.change(machine, { status: { currentStatus: { phase: 'Pending' } } }, 'status'),
      await farm.change(machine, { spec: { providerID: 'farm:///1' } }),
    ].map(({ metadata }) => metadata.generation);
    expect(generations).toEqual([1, 1, 2]);
  });

  test('the status through its subresource alone, and nothing else through it', async () => {
    const machine = await farm.machine({ labels: { flock: 'a' } });
    const told = await farm.change(
      machine,
      {
        metadata: { labels: { flock: 'b' } },
        spec: { providerID: 'x' },
        status: { currentStatus: { phase: 'Pending' } },
      },
      'status',
    );
    expect(told.status?.currentStatus?.phase).toBe('Pending');
    expect([told.metadata.labels, told.spec?.providerID]).toEqual([{ flock: 'a' }, undefined]);
    const wished = await farm.change(machine, { status: { currentStatus: { phase: 'Running' } } });
    expect(wished.status?.currentStatus?.phase).toBe('Pending');
  });

  test('but for what is the server’s: uid, creation, generation', async () => {
    const machine = await farm.machine();
    const { uid, creationTimestamp, generation } = machine.metadata;
    const written = await farm.change(machine, {
      metadata: { creationTimestamp: '2020-01-01T00:00:00Z', generation: 9, labels: { flock: 'a' } },
    });
    expect(written.metadata).toMatchObject({ uid: uid ?? '', creationTimestamp, generation });
    expect(await refusalOf(farm.change(machine, { metadata: { uid: 'another' } }))).toBe('422 Invalid');
    const other = { ...written, metadata: { ...written.metadata, uid: 'another' } };
    expect(await refusalOf(farm.api.replace(resources.machines, other))).toBe('409 Conflict');
  });
}
