import { describe, expect, test } from 'bun:test';
import { BORN } from '../../../test/fixtures/objects.ts';
import { requestFor, vmWith } from './virtual.fixture.ts';
import { heartbeatMs, momentsOf, providerIDOf, stateOf, uidIn, uidOf, type Vm } from './vm.ts';

describe('The identity of a VM', () => {
  test('is that of its Machine', () => {
    expect(providerIDOf('1-2')).toBe('virtual:///1-2');
    expect(uidOf('virtual:///1-2')).toBe('1-2');
  });

  test.each(['aws:///eu/i-1', '', undefined])('is not seen in %p', (providerID) => {
    expect(uidOf(providerID)).toBeUndefined();
  });

  test('is the Machine’s own, unless a providerID names another', () => {
    const request = requestFor('m');
    expect(uidIn(request)).toBe('uid-m');
    expect(uidIn({ ...request, machine: { ...request.machine, spec: { providerID: 'virtual:///other' } } })).toBe(
      'other',
    );
  });

  test('is refused when another provider made it', () => {
    const request = requestFor('m');
    const machine = { ...request.machine, spec: { providerID: 'aws:///eu/i-1' } };
    expect(() => uidIn({ ...request, machine })).toThrow(
      'spec.providerID aws:///eu/i-1 is not that of a virtual VM, which begins with virtual:///',
    );
  });
});

describe('The moments of a life', () => {
  const never = Number.POSITIVE_INFINITY;
  const slow = { create: '1s', boot: '2s', join: '4s', delete: '8s' };
  const rows: Array<[string, Partial<Vm>, Partial<ReturnType<typeof momentsOf>>]> = [
    ['are all at once without latencies', {}, { made: 0, runs: 0, joins: 0, breaks: never, vanishes: never }],
    ['follow one another', { spec: { latency: slow } }, { made: 1_000, runs: 3_000, joins: 7_000 }],
    [
      'wait for the initialization',
      { spec: { latency: slow, initialize: true } },
      { made: 1_000, runs: never, joins: never },
    ],
    [
      'go on after the initialization',
      { spec: { latency: slow, initialize: true }, initialized: BORN + 5_000 },
      { runs: 7_000, joins: 11_000 },
    ],
    ['may be without a Node', { spec: { faults: { vms: [{ fate: 'NeverJoins' }] } } }, { runs: 0, joins: never }],
    ['may have an end', { spec: { faults: { vms: [{ fate: 'Vanishes', after: '1m' }] } } }, { vanishes: 60_000 }],
  ];
  test.each(rows)('%s', (_what, changes, expected) => {
    const moments = Object.entries(momentsOf(vmWith(changes))).map(([name, moment]) => [name, moment - BORN]);
    expect(Object.fromEntries(moments)).toMatchObject(expected);
  });

  test('vary from VM to VM within the spread, and never for one VM', () => {
    const spec = { latency: { boot: '10s', spread: 0.2 } };
    const runs = Array.from({ length: 50 }, (_, n) => momentsOf(vmWith({ spec, machine: `herd/${n}` })).runs - BORN);
    expect(Math.min(...runs)).toBeGreaterThanOrEqual(8_000);
    expect(Math.max(...runs)).toBeLessThan(12_000);
    expect(new Set(runs).size).toBe(50);
    expect(momentsOf(vmWith({ spec, machine: 'herd/0' })).runs - BORN).toBe(runs[0] ?? 0);
  });
});

describe('How a VM stands', () => {
  const latency = { create: '1s', boot: '2s' };
  const rows: Array<[string, number, Partial<Vm>]> = [
    ['Running', 0, {}],
    ['Creating', 999, { spec: { latency } }],
    ['Booting', 1_000, { spec: { latency } }],
    ['Running', 3_000, { spec: { latency } }],
    ['Uninitialized', 1_000, { spec: { latency, initialize: true } }],
    ['Booting', 1_000, { spec: { latency, initialize: true }, initialized: BORN + 1_000 }],
    ['Broken', 0, { broken: true }],
    ['Running', 999, { spec: { faults: { vms: [{ fate: 'Breaks', after: '1s' }] } } }],
    ['Broken', 1_000, { spec: { faults: { vms: [{ fate: 'Breaks', after: '1s' }] } } }],
    ['Deleting', 0, { broken: true, deleting: BORN }],
  ];
  test.each(rows)('is %s after %i ms of %j', (state, ms, changes) => {
    expect(stateOf(vmWith(changes), BORN + ms)).toBe(state as Vm['state']);
  });
});

test.each([
  [{}, 10_000],
  [{ heartbeat: '3s' }, 3_000],
  [{ heartbeat: '0s' }, 0],
] as const)('The heart-beat of %j is every %i ms', (spec, ms) => expect(heartbeatMs(vmWith({ spec }))).toBe(ms));
