import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BORN } from '../../../test/fixtures/objects.ts';
import { decodeVm, encodeUpdate, encodeVm } from './configmap.ts';
import { vmWith } from './virtual.fixture.ts';

const full = vmWith({
  spec: { latency: { boot: '2s' }, heartbeat: '3s' },
  node: { labels: { zone: 'a' }, capacity: { cpu: '4' } },
  tags: { team: 'blue' },
});

describe('A VM as a ConfigMap', () => {
  test('reads well', () => {
    expect(encodeVm(full)).toEqual({
      metadata: { name: 'uid-m', namespace: 'drover-virtual-cloud', labels: { 'drover.dev/virtual-vm': 'true' } },
      data: {
        providerID: 'virtual:///uid-m',
        machine: 'herd/m',
        nodeName: 'm',
        class: 'herd/small',
        incarnation: 'here',
        address: '10.0.0.1',
        created: '2026-01-01T00:00:00.000000Z',
        state: 'Running',
        spec: '{"latency":{"boot":"2s"},"heartbeat":"3s"}',
        node: '{"labels":{"zone":"a"},"capacity":{"cpu":"4"}}',
        'tag.team': 'blue',
      },
    });
  });

  test('is read back as it was', () => expect(decodeVm(encodeVm(full))).toEqual(full));

  test('is read back with the moments of its updates', () => {
    const configMap = encodeVm(full);
    const update = encodeUpdate({
      state: 'Deleting',
      initialized: BORN + 1,
      deleting: BORN + 2_000,
      tags: { team: 'red' },
    });
    expect(decodeVm({ ...configMap, data: { ...configMap.data, ...(update as Record<string, string>) } })).toEqual({
      ...full,
      state: 'Deleting',
      initialized: BORN + 1,
      deleting: BORN + 2_000,
      tags: { team: 'red' },
    });
  });

  test('loses a tag that becomes null', () =>
    expect(encodeUpdate({ tags: { team: null } })).toEqual({ 'tag.team': null }));

  test('that a user broke is broken', () => {
    const configMap = encodeVm(full);
    expect(decodeVm({ ...configMap, data: { ...configMap.data, broken: 'true' } }).broken).toBe(true);
  });

  test('that a user made is as old as the ConfigMap, and of no incarnation', () => {
    const metadata = { name: 'mine', creationTimestamp: '2026-01-01T00:00:00Z' };
    expect(decodeVm({ metadata })).toMatchObject({ uid: 'mine', created: BORN, incarnation: undefined, spec: {} });
  });

  test('is readable whatever somebody wrote into it', () => {
    const keys = fc.constantFrom('machine', 'created', 'spec', 'node', 'deleting', 'state', 'broken', 'tag.a', 'x');
    const value = fc.oneof(fc.string(), fc.json(), fc.constant('null'), fc.constant('[]'));
    fc.assert(
      fc.property(fc.dictionary(keys, value), (data) => {
        const vm = decodeVm({ metadata: { name: 'any' }, data });
        expect(typeof vm.spec).toBe('object');
        expect(vm.node.labels).toBeObject();
        expect(Number.isFinite(vm.created)).toBe(true);
      }),
    );
  });
});
