import { describe, expect, test } from 'bun:test';
import { machine, machineClass } from '../../../../test/fixtures/objects.ts';
import type { ListedVm } from '../../../drivers/sdk/driver.ts';
import { claimsOf, planSweep, type SweepView } from './plan.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;

const vm = (changes: Partial<ListedVm> = {}): ListedVm => ({
  providerID: 'virtual:///lost',
  machineName: 'm',
  created: NOW - 60 * MINUTE,
  incarnation: 'here',
  ...changes,
});

const beside = { isCreating: () => false, wasRetained: () => false };

const view = (changes: Partial<SweepView> = {}): SweepView => ({
  now: NOW,
  vms: [vm()],
  claims: claimsOf([], machineClass(), beside),
  incarnation: 'here',
  sightings: new Map([['virtual:///lost', NOW - 15 * MINUTE]]),
  limits: { policy: 'delete', graceMs: 10 * MINUTE, apartMs: MINUTE, most: 10 },
  shut: undefined,
  judgesFrom: 0,
  steppedAt: 0,
  isElsewhere: () => false,
  isFrozen: () => false,
  isHost: () => false,
  isLeaving: () => false,
  ...changes,
});

const among = (...specs: Array<{ providerID?: string; name?: string; namespace?: string }>) =>
  claimsOf(
    specs.map(({ providerID, name = 'm', namespace = 'herd' }) =>
      machine({ metadata: { name, namespace }, spec: providerID === undefined ? {} : { providerID } }),
    ),
    machineClass(),
    beside,
  );

const standing = (changes: Partial<SweepView> = {}) => [...planSweep(view(changes)).states.values()].join(' ');

describe('a VM of this installation', () => {
  test.each<[string, Partial<SweepView>, string]>([
    ['without a Machine, seen twice, old enough: it goes', {}, 'due'],
    ['that was never seen before: it waits', { sightings: new Map() }, 'waiting'],
    [
      'that was seen a moment ago: a sweep that was enqueued is no second sighting',
      { sightings: new Map([['virtual:///lost', NOW - MINUTE + 1]]) },
      'waiting',
    ],
    ['younger than the grace age (hack/spec/mcm.md 13.3)', { vms: [vm({ created: NOW - 10 * MINUTE + 1 })] }, 'young'],
    ['that is as old as the grace age', { vms: [vm({ created: NOW - 10 * MINUTE })] }, 'due'],
    ['made in the future, by a clock that is wrong', { vms: [vm({ created: NOW + MINUTE })] }, 'young'],
    [
      'made far in the future, but seen for long: a clock was wrong that nobody set (hack/decisions/0051 L107)',
      { vms: [vm({ created: NOW + 1_000_000 * MINUTE })] },
      'due',
    ],
    [
      'made far in the future, and seen for less than the grace age',
      {
        vms: [vm({ created: NOW + 1_000_000 * MINUTE })],
        sightings: new Map([['virtual:///lost', NOW - 10 * MINUTE + 1]]),
      },
      'young',
    ],
    ['made before the clock was set forward (hack/decisions/0028 R5)', { steppedAt: NOW - 5 * MINUTE }, 'young'],
    [
      'seen before the clock was set back (hack/decisions/0028 R5)',
      { sightings: new Map([['virtual:///lost', NOW + 60 * MINUTE]]) },
      'waiting',
    ],
    ['whose Machine is there', { claims: among({ providerID: 'virtual:///lost' }) }, 'owned'],
    [
      'whose Machine writes the middle of its id in another way',
      { claims: among({ providerID: 'virtual://zone/lost' }) },
      'owned',
    ],
    ['whose Machine has another name', { claims: among({ providerID: 'virtual:///lost', name: 'n' }) }, 'owned'],
    ['of a Machine that has yet to record its VM (hack/spec/mcm.md 13.3)', { claims: among({}) }, 'owned'],
    ['beside the VM of its Machine', { claims: among({ providerID: 'virtual:///other' }) }, 'due'],
    [
      'beside the VMs of several Machines of its name, of which one has none',
      { claims: among({ providerID: 'virtual:///other' }, {}) },
      'owned',
    ],
    [
      'of a Machine whose VM is being made once more',
      {
        claims: claimsOf([machine({ spec: { providerID: 'virtual:///other' } })], machineClass(), {
          ...beside,
          isCreating: () => true,
        }),
      },
      'owned',
    ],
    ['in report mode', { limits: { ...view().limits, policy: 'report' } }, 'reported'],
    ['of a frozen set', { isFrozen: () => true }, 'held'],
    ['marked for a namespace that is not looked after', { isElsewhere: () => true }, 'foreign'],
    ['that this controller runs on', { isHost: () => true }, 'held'],
    [
      'while an API server is unreachable (hack/spec/mcm.md 13.2)',
      { shut: 'the control cluster is unreachable' },
      'held',
    ],
    ['seen before an API server came back (hack/spec/mcm.md 13.2)', { judgesFrom: NOW - 5 * MINUTE }, 'waiting'],
    ['that is being deleted', { isLeaving: () => true }, 'terminating'],
    ['left on purpose', { vms: [vm({ retained: true })] }, 'retained'],
    [
      'left on purpose a moment ago, which the list does not show yet',
      { claims: claimsOf([], machineClass(), { ...beside, wasRetained: () => true }) },
      'retained',
    ],
  ])('%s', (_what, changes, expected) => {
    expect(standing(changes)).toBe(expected);
  });
});

test.each<[string, Partial<ListedVm>, string]>([
  ['of another installation is never touched', { incarnation: 'elsewhere' }, 'foreign'],
  [
    'of another installation is never touched, whatever its age',
    { incarnation: 'elsewhere', created: undefined } as never,
    'foreign',
  ],
  ['that tells no installation is only told of', { incarnation: undefined } as never, 'unknown'],
  ['that tells no age is only told of', { created: undefined } as never, 'unknown'],
  ['that tells no name is only told of', { machineName: '' }, 'unknown'],
])('a VM %s', (_what, changes, expected) => {
  expect(standing({ vms: [vm(changes)] })).toBe(expected);
});

test('a sweep begins no more deletions than it may, those that go on included', () => {
  const vms = ['a', 'b', 'c', 'd', 'e'].map((id) => vm({ providerID: `virtual:///${id}` }));
  const sightings = new Map(vms.map(({ providerID }) => [providerID, 0]));
  const limits = { ...view().limits, most: 3 };
  const isLeaving = ({ providerID }: ListedVm) => providerID.endsWith('e');
  expect(standing({ vms, sightings, limits, isLeaving })).toBe('due due queued queued terminating');
});

describe('what the next sweep knows', () => {
  const seen = (changes: Partial<SweepView> = {}) => [...planSweep(view(changes)).sightings];

  test('is when a VM was first seen without a Machine', () => {
    expect(seen()).toEqual([['virtual:///lost', NOW - 15 * MINUTE]]);
    expect(seen({ sightings: new Map() })).toEqual([['virtual:///lost', NOW]]);
    expect(seen({ judgesFrom: NOW - MINUTE })).toEqual([['virtual:///lost', NOW]]);
  });

  test('is nothing of a VM that has a Machine or is not listed: sightings are in a row', () => {
    expect(seen({ claims: among({ providerID: 'virtual:///lost' }) })).toEqual([]);
    expect(seen({ vms: [] })).toEqual([]);
  });

  test('is nothing at all of a sweep while an API server is unreachable', () => {
    expect(seen({ shut: 'away' })).toEqual([]);
  });
});

test('orphans that stay are told of once they were seen often enough', () => {
  const findings = (changes: Partial<SweepView>) => planSweep(view(changes)).findings.length;
  expect(findings({ vms: [vm({ incarnation: undefined } as never)] })).toBe(1);
  expect(findings({ vms: [vm({ incarnation: undefined } as never)], sightings: new Map() })).toBe(0);
  expect(findings({ limits: { ...view().limits, policy: 'report' } })).toBe(1);
  expect(findings({ isFrozen: () => true })).toBe(1);
  expect(findings({ vms: [vm({ incarnation: 'elsewhere' })] })).toBe(0);
  expect(findings({})).toBe(0);
});
