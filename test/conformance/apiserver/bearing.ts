import { expect, test } from 'bun:test';
import { configMaps, type Lease, leases, nodes } from '../../../controller/runtime/k8s/core.ts';
import { resources } from '../../../schemas/kinds.ts';
import { type Farm, refusalOf } from './farm.ts';

/** What comes of a create. */
export function bearing(farm: Farm): void {
  test('with a uid, a version, a moment of creation, and of a custom resource the first generation', async () => {
    const [machine, map] = [await farm.machine(), await farm.configMap()];
    for (const { metadata } of [machine, map]) {
      expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    }
    expect([machine.metadata.generation, map.metadata.generation]).toEqual([1, undefined]);
    expect(machine.metadata.uid).not.toBe(map.metadata.uid);
  });

  test('as they are then read', async () => {
    const made = await farm.machine({ labels: { flock: 'a' }, annotations: { bell: 'gold' } });
    expect(await farm.api.get(resources.machines, made.metadata)).toEqual(made);
  });

  test('under a generated name', async () => {
    const { metadata } = await farm.api.create(configMaps, {
      metadata: { namespace: farm.namespace, name: '', generateName: 'lamb-' },
    });
    expect(metadata.name).toMatch(/^lamb-[a-z0-9]{5}$/);
  });

  test('once under a name', async () => {
    const { metadata } = await farm.configMap();
    const again = farm.api.create(configMaps, { metadata: farm.ref(metadata.name) });
    expect(await refusalOf(again)).toBe('409 AlreadyExists');
  });

  test('in a namespace that is there', async () => {
    const lost = farm.api.create(configMaps, { metadata: { namespace: 'no-such-meadow', name: 'lost' } });
    expect(await refusalOf(lost)).toBe('404 NotFound');
  });

  test('with a name', async () => {
    const nameless = farm.api.create(configMaps, { metadata: { namespace: farm.namespace, name: '' } });
    expect(await refusalOf(nameless)).toBe('422 Invalid');
  });

  test('without the status that a custom resource was given, and with that of a Node', async () => {
    const machine = await farm.machine({}, { status: { currentStatus: { phase: 'Running' } } });
    expect(machine.status).toBeUndefined();
    const conditions = [{ type: 'Ready', status: 'True' }];
    const node = await farm.api.create(nodes, {
      metadata: { name: farm.name(`${farm.namespace}-node`) },
      status: { conditions },
    });
    expect(node.status?.conditions).toMatchObject(conditions);
    await farm.api.delete(nodes, node.metadata);
  });

  test('not at all in a dry run', async () => {
    const metadata = farm.ref(farm.name());
    await farm.api.create(configMaps, { metadata }, { dryRun: true });
    expect(await refusalOf(farm.api.get(configMaps, metadata))).toBe('404 NotFound');
  });

  test('of which one is written by whoever knows its last version', async () => {
    const lease = (holderIdentity: string): Lease => ({ metadata: farm.ref('bellwether'), spec: { holderIdentity } });
    const mine = await farm.api.create(leases, lease('dolly'));
    expect(await refusalOf(farm.api.create(leases, lease('molly')))).toBe('409 AlreadyExists');
    const renewed = await farm.api.replace(leases, { ...mine, spec: { holderIdentity: 'dolly again' } });
    expect(await refusalOf(farm.api.replace(leases, { ...mine, spec: { holderIdentity: 'molly' } }))).toBe(
      '409 Conflict',
    );
    expect(Number(renewed.metadata.resourceVersion)).toBeGreaterThan(Number(mine.metadata.resourceVersion));
  });
}
