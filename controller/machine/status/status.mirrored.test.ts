import { describe, expect, test } from 'bun:test';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import type { VmCondition } from '../../drivers/sdk/driver.ts';
import { readyNode, recorded, view, vm } from '../flow/view.fixture.ts';
import type { MachineView } from '../flow/view.ts';
import { mirrored } from './status.ts';

const ip = (address: string) => ({ type: 'InternalIP', address });
const host = { type: 'Hostname', address: 'm' };
const present = (status: object) => ({ node: { ...readyNode, object: node({ status }) } });

describe('addresses', () => {
  type Row = [what: string, facts: Partial<MachineView>, addresses: object[] | undefined];
  const rows: Row[] = [
    ['are the Node’s', { vm: { ...vm, addresses: [ip('1')] }, ...present({ addresses: [ip('2')] }) }, [ip('2')]],
    ['are the driver’s until the Node has some', { vm: { ...vm, addresses: [ip('1')] } }, [ip('1')]],
    ['stay as they are when nobody knows any', { vm }, undefined],
    [
      'are all that were seen where there is no cluster to join, with the name, in order (hack/spec/mcm.md 6.4)',
      {
        vm: { ...vm, addresses: [ip('2')] },
        node: { at: 'none' },
        machine: machine({ ...recorded, status: { addresses: [ip('9'), ip('2')] } }),
      },
      [host, ip('2'), ip('9')],
    ],
    ['stay while the driver is silent where there is no cluster', { node: { at: 'none' } }, undefined],
  ];
  test.each(rows)('%s', (_what, facts, addresses) => {
    expect(mirrored(view({ machine: machine(recorded), ...facts })).addresses).toEqual(addresses as never);
  });
});

// hack/decisions/0051 L96
test.each([
  ['is what its Node says', { 'topology.kubernetes.io/zone': 'b' }, { zone: 'b' }],
  ['stays when its Node does not say any more', {}, {}],
  ['is none that no label can say', { 'topology.kubernetes.io/zone': 'no zone' }, {}],
])('the zone of a machine %s', (_what, labels, told) => {
  const labelled = { ...readyNode, object: node({ metadata: { labels } }) };
  const { zone } = mirrored(view({ machine: machine(recorded), node: labelled }));
  expect(zone === undefined ? {} : { zone }).toEqual(told);
});

test('the reference names the Node, a new one of the same name too, and never moves to another name', () => {
  const ref = (nodeRef?: object) =>
    mirrored(view({ machine: machine({ ...recorded, status: { nodeRef } } as never), node: readyNode })).nodeRef;
  expect(ref()).toEqual({ name: 'm', uid: 'uid-node' });
  expect(ref({ name: 'm', uid: 'old' })).toEqual({ name: 'm', uid: 'uid-node' });
  expect(ref({ name: 'other', uid: 'old' })).toBeUndefined();
  expect(mirrored(view()).nodeRef).toBeUndefined();
});

test('the kubelet’s version is the Node’s, beside what else is known', () => {
  const one = machine({ ...recorded, status: { versions: { controlPlane: '1.0' } } });
  const seen = view({ machine: one, ...present({ nodeInfo: { kubeletVersion: 'v1.36.2' } }) });
  expect(mirrored(seen).versions).toEqual({ controlPlane: '1.0', kubelet: 'v1.36.2' });
  expect(mirrored(view({ machine: one })).versions).toBeUndefined();
});

// hack/decisions/0051 C6
describe('what the driver says of how the VM stands', () => {
  const migrating = (status: 'True' | 'False') => ({ type: 'Migrating', status, reason: 'HostLeaves' }) as const;
  const shown = (conditions: VmCondition[] | undefined, before: object[] = []) => {
    const one = machine({ ...recorded, status: { providerConditions: before as never } });
    return mirrored(view({ machine: one, vm: { ...vm, ...(conditions && { conditions }) } })).providerConditions;
  };

  test('is shown apart from the Node’s conditions, with the time since when it is so', () => {
    const first = { ...migrating('True'), lastTransitionTime: at(60) };
    expect(shown([migrating('False'), migrating('True')])).toEqual([first]);
    const old = { ...migrating('True'), lastTransitionTime: at(1) };
    expect(shown([migrating('True')], [old])).toEqual([old]);
    expect(shown([migrating('False')], [old])).toEqual([{ ...migrating('False'), lastTransitionTime: at(60) }]);
  });

  test('stays while nothing is said, and goes when it is said that there is nothing', () => {
    expect(shown(undefined, [migrating('True')])).toBeUndefined();
    expect(shown([], [migrating('True')])).toEqual([]);
  });
});
