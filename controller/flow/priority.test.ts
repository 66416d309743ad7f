import { describe, expect, test } from 'bun:test';
import { capabilityRows } from '../../schemas/providers/capabilities.ts';
import { priorityOverride } from '../../schemas/rules/machine.ts';
import { machine } from '../../test/fixtures/objects.ts';
import { levels, type MachineTraits, machinePriority } from './priority.ts';

/** A driver that can do everything, and nothing that holds the Machine up. */
const able: MachineTraits = { can: new Set(capabilityRows.map(([word]) => word)), heldUp: false };
const made = { status: { conditions: [{ type: 'VMCreated', status: 'True' }] } };
/** As it is once a driver has told its power state, and that its disks depend on an image. */
const told = (powerState: 'PoweredOn' | 'PoweredOff') => ({
  status: { conditions: [...made.status.conditions, { type: 'DiskPromotionSynced', status: 'False' }], powerState },
});
const waitingForDisks = { spec: { promoteDisksMode: 'Online' as const }, ...told('PoweredOff') };
const waitingForAddress = { spec: { network: {} }, status: { ...made.status, powerState: 'PoweredOn' as const } };

describe('a Machine’s level (hack/decisions/0000 5)', () => {
  test.each([
    ['is being deleted', machine({ metadata: { deletionTimestamp: 'now' } }), 98],
    ['is being deleted before its VM was made', machine({ metadata: { deletionTimestamp: 'now' }, ...made }), 98],
    ['has no VM yet', machine(), 100],
    ['shall be powered off', machine({ spec: { powerState: 'PoweredOff' }, ...told('PoweredOn') }), 99],
    ['shall be suspended', machine({ spec: { powerState: 'Suspended' }, ...told('PoweredOn') }), 99],
    [
      'has the power state that it shall have',
      machine({ spec: { powerState: 'PoweredOn' }, status: { ...made.status, powerState: 'PoweredOn' } }),
      -2,
    ],
    ['waits for an address', machine(waitingForAddress), 97],
    [
      'has an address',
      machine({ ...waitingForAddress, status: { ...waitingForAddress.status, network: { primaryIP6: '::1' } } }),
      -2,
    ],
    [
      'wants no network',
      machine({ spec: { network: { disabled: true } }, status: { ...made.status, powerState: 'PoweredOn' } }),
      -2,
    ],
    ['waits for its disks', machine(waitingForDisks), 96],
    ['waits for its disks although it runs', machine({ ...waitingForDisks, ...told('PoweredOn') }), 96],
    ['is an MCM machine that has all it wants', machine(made), -2],
  ])('of one that %s', (_what, one, priority) => {
    expect(machinePriority(one, 'update', able)).toBe(priority);
  });

  // hack/decisions/0051 C5, L25, U4
  test.each([
    ['the power state', machine({ spec: { powerState: 'PoweredOff' }, ...made })],
    ['an address', machine({ spec: { network: {} }, ...made })],
    ['disks that were never told of', machine({ spec: { promoteDisksMode: 'Online' }, ...made })],
    ['disks that stay as they are', machine({ spec: { promoteDisksMode: 'Disabled' }, ...told('PoweredOn') })],
  ])('is not raised by %s as long as no driver says that there is something to do', (_what, one) => {
    expect(machinePriority(one, 'generic', able)).toBe(-4);
  });

  // hack/decisions/0028 W10
  test.each([
    ['the power state', machine({ spec: { powerState: 'PoweredOff' }, ...told('PoweredOn') })],
    ['a suspension', machine({ spec: { powerState: 'Suspended' }, ...told('PoweredOn') })],
    ['the network', machine(waitingForAddress)],
    ['the disks', machine(waitingForDisks)],
  ])('is not raised by %s where the driver can do nothing about it', (_what, one) => {
    expect(machinePriority(one, 'update', { can: new Set(), heldUp: false })).toBe(-2);
  });

  // hack/decisions/0028 W10
  test.each([
    ['has no VM yet', machine(), -2],
    ['shall be powered off', machine({ spec: { powerState: 'PoweredOff' }, ...told('PoweredOn') }), -2],
    ['waits for an address', machine(waitingForAddress), -2],
    ['waits for its disks', machine(waitingForDisks), -2],
    ['is being deleted', machine({ metadata: { deletionTimestamp: 'now' } }), 98],
  ])('of one that is held up and %s', (_what, one, priority) => {
    expect(machinePriority(one, 'update', { ...able, heldUp: true })).toBe(priority);
  });

  test('has no two names and no two numbers', () => {
    expect(new Set(levels.map(({ name }) => name)).size).toBe(levels.length);
    expect(new Set(levels.map(({ priority }) => priority)).size).toBe(levels.length);
  });
});

test.each([
  ['create', -1],
  ['update', -2],
  ['delete', -3],
  ['generic', -4],
] as const)('the default of a trigger %s', (trigger, priority) => {
  expect(machinePriority(machine(made), trigger, able)).toBe(priority);
});

describe('an override', () => {
  test.each([
    ['wins over every level', '5', 5],
    ['may be the greatest', '100', 100],
    ['may be the least', '-100', -100],
    ['above the bounds is ignored', '101', 'invalid'],
    ['that is no integer is ignored', '1.5', 'invalid'],
    ['that is no number is ignored', 'high', 'invalid'],
    ['that is empty is ignored', '', 'invalid'],
  ] as const)('%s', (_what, text, read) => {
    const one = machine({ metadata: { annotations: { 'protected.drover.dev/reconcile-priority': text } } });
    expect(priorityOverride(one.metadata.annotations)).toBe(read);
    expect(machinePriority(one, 'update', able)).toBe(read === 'invalid' ? 100 : read);
  });

  test('under VM Operator’s key means the same', () => {
    const annotations = { 'vmoperator.vmware.com.protected/reconcile-priority': '-7' };
    expect(machinePriority(machine({ metadata: { annotations } }), 'update', able)).toBe(-7);
  });
});
