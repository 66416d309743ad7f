import { expect, test } from 'bun:test';
import { configMaps } from '../../../controller/runtime/k8s/core.ts';
import { resources } from '../../../schemas/kinds.ts';
import { type Farm, refusalOf, SHEAR } from './farm.ts';

/** What comes of a DELETE. */
export function deletions(farm: Farm): void {
  test('at once when nothing holds them', async () => {
    const { metadata } = await farm.machine();
    expect(await farm.api.delete(resources.machines, metadata)).toBeUndefined();
    expect(await refusalOf(farm.api.get(resources.machines, metadata))).toBe('404 NotFound');
    expect(await refusalOf(farm.api.delete(resources.machines, metadata))).toBe('404 NotFound');
  });

  test('with their last finalizer, whoever takes it off', async () => {
    const machine = await farm.machine({ finalizers: [SHEAR, 'farm.example/wash'] });
    const marked = await farm.api.delete(resources.machines, machine.metadata);
    expect(marked?.metadata).toMatchObject({ finalizers: [SHEAR, 'farm.example/wash'], generation: 2 });
    expect(marked?.metadata.deletionTimestamp).toMatch(/Z$/);
    const held = await farm.change(machine, { metadata: { finalizers: [SHEAR] } });
    expect(held.metadata.deletionTimestamp).toBe(marked?.metadata.deletionTimestamp);
    const gone = await farm.change(machine, { metadata: { finalizers: [] } });
    expect(gone.metadata.finalizers ?? []).toEqual([]);
    expect(await refusalOf(farm.api.get(resources.machines, machine.metadata))).toBe('404 NotFound');
  });

  test('once: a second call changes nothing', async () => {
    const { metadata } = await farm.machine({ finalizers: [SHEAR] });
    const first = await farm.api.delete(resources.machines, metadata);
    const second = await farm.api.delete(resources.machines, metadata);
    expect(second?.metadata.resourceVersion).toBe(first?.metadata.resourceVersion ?? '');
  });

  test('and takes no new finalizer while they go, nor a deletion back', async () => {
    const machine = await farm.machine({ finalizers: [SHEAR] });
    await farm.api.delete(resources.machines, machine.metadata);
    const late = farm.change(machine, { metadata: { finalizers: [SHEAR, 'farm.example/late'] } });
    expect(await refusalOf(late)).toBe('422 Invalid');
    const { metadata } = await farm.change(machine, { metadata: { deletionTimestamp: null, labels: { flock: 'a' } } });
    expect(metadata.deletionTimestamp).toBeString();
  });

  test('only with the uid and the version that the call names', async () => {
    const map = await farm.configMap();
    const { uid = '', resourceVersion = '' } = map.metadata;
    const { metadata } = await farm.merge(configMaps, map, { data: { wool: 'black' } });
    expect(await refusalOf(farm.api.delete(configMaps, metadata, { uid: 'another' }))).toBe('409 Conflict');
    expect(await refusalOf(farm.api.delete(configMaps, metadata, { resourceVersion }))).toBe('409 Conflict');
    expect(await farm.api.delete(configMaps, metadata, { uid })).toBeUndefined();
  });

  test('and gives a name that is free again to an object with another uid', async () => {
    const { metadata } = await farm.configMap();
    await farm.api.delete(configMaps, metadata);
    const again = await farm.api.create(configMaps, { metadata: farm.ref(metadata.name) });
    expect(again.metadata.uid).not.toBe(metadata.uid);
  });
}
