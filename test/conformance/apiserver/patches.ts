import { expect, test } from 'bun:test';
import { configMaps, nodes } from '../../../controller/runtime/k8s/core.ts';
import { resources } from '../../../schemas/kinds.ts';
import { type Farm, refusalOf, SHEAR } from './farm.ts';

type Operations = Array<Record<string, unknown>>;

/** What comes of a PATCH. */
export function patches(farm: Farm): void {
  test('by merging: maps grow, null removes, lists are replaced', async () => {
    const machine = await farm.machine({ labels: { flock: 'a', ear: 'tag' }, finalizers: [SHEAR] });
    const { metadata } = await farm.change(machine, {
      metadata: { labels: { flock: null, bell: 'gold' }, finalizers: ['farm.example/wash'] },
    });
    expect([metadata.labels, metadata.finalizers]).toEqual([{ ear: 'tag', bell: 'gold' }, ['farm.example/wash']]);
  });

  test('only while they have the uid and the version that the patch names', async () => {
    const machine = await farm.machine();
    const { uid, resourceVersion } = machine.metadata;
    await farm.change(machine, { metadata: { uid, resourceVersion, labels: { flock: 'a' } } });
    expect(await refusalOf(farm.change(machine, { metadata: { resourceVersion } }))).toBe('409 Conflict');
    expect(await refusalOf(farm.change(machine, { metadata: { resourceVersion } }, 'status'))).toBe('409 Conflict');
    expect(await refusalOf(farm.change(machine, { metadata: { uid: 'another' } }))).toBe('422 Invalid');
  });

  test('of which a status does not heed the uid', async () => {
    const told = { metadata: { uid: 'another' }, status: { currentStatus: { phase: 'Pending' } } };
    const { metadata, status } = await farm.change(await farm.machine(), told, 'status');
    expect(metadata.uid).not.toBe('another');
    expect(status?.currentStatus?.phase).toBe('Pending');
  });

  test('only those that are there', async () => {
    const nobody = farm.merge(configMaps, { metadata: farm.ref('nobody') }, { data: {} });
    expect(await refusalOf(nobody)).toBe('404 NotFound');
  });

  test('by operations, all or none', async () => {
    const map = await farm.configMap({ wool: 'white', bell: 'gold' });
    const apply = (body: Operations) => farm.api.patch(configMaps, map.metadata, { type: 'json', body });
    const changed = await apply([
      { op: 'test', path: '/metadata/uid', value: map.metadata.uid },
      { op: 'replace', path: '/data/wool', value: 'black' },
      { op: 'remove', path: '/data/bell' },
      { op: 'add', path: '/metadata/annotations', value: { ear: 'tag' } },
      { op: 'add', path: '/metadata/annotations/farm.example~1bell', value: 'gold' },
    ]);
    expect(changed.data).toEqual({ wool: 'black' });
    expect(changed.metadata.annotations).toEqual({ ear: 'tag', 'farm.example/bell': 'gold' });
    const failed: Operations[] = [
      [
        { op: 'replace', path: '/data/wool', value: 'red' },
        { op: 'test', path: '/metadata/uid', value: 'another' },
      ],
      [{ op: 'remove', path: '/data/nothing' }],
    ];
    for (const body of failed) expect(await refusalOf(apply(body))).toBe('422 Invalid');
    expect((await farm.api.get(configMaps, map.metadata)).data).toEqual({ wool: 'black' });
  });

  test('by operations on one element of a list', async () => {
    const owner = (name: string, uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });
    const machine = await farm.machine({ ownerReferences: [owner('a', 'uid-a'), owner('b', 'uid-b')] });
    const body = [
      { op: 'test', path: '/metadata/ownerReferences/0/uid', value: 'uid-a' },
      { op: 'remove', path: '/metadata/ownerReferences/0' },
    ];
    const { metadata } = await farm.api.patch(resources.machines, machine.metadata, { type: 'json', body });
    expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(['b']);
  });

  test('strategically those that are built in: conditions are merged by type, taints replaced', async () => {
    const name = farm.name(`${farm.namespace}-node`);
    await farm.api.create(nodes, {
      metadata: { name },
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'DiskPressure', status: 'False' },
        ],
      },
    });
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    const patch = { type: 'strategic', body: { status: { conditions } } } as const;
    const { status } = await farm.api.patch(nodes, { name }, patch, { subresource: 'status' });
    expect(status?.conditions?.map(({ type, status: is }) => `${type} ${is}`).sort()).toEqual([
      'DiskPressure False',
      'Ready Unknown',
    ]);
    const taints = [{ key: 'b', effect: 'NoExecute' }];
    const { spec } = await farm.api.patch(nodes, { name }, { type: 'strategic', body: { spec: { taints } } });
    expect(spec?.taints).toMatchObject(taints);
    await farm.api.delete(nodes, { name });
  });

  test('strategically no custom ones', async () => {
    const { metadata } = await farm.machine();
    const patch = { type: 'strategic', body: { spec: {} } } as const;
    expect(await refusalOf(farm.api.patch(resources.machines, metadata, patch))).toBe('415 UnsupportedMediaType');
  });
}
