import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { at, machine, machineClass, node } from '../../test/fixtures/objects.ts';
import { Drains } from '../drain/memory.ts';
import type { Driver } from '../driver.ts';
import { Cache } from '../runtime/cache.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node, Secret } from '../runtime/core.ts';
import { FakeLog } from '../runtime/log.fake.ts';
import { seededRandom } from '../runtime/random.ts';
import { oneTarget } from '../targets.ts';
import { Permits } from './budget.ts';
import { callsFor } from './calls.fixture.ts';
import { observe, slotKeyOf } from './observe.ts';
import { Refusals } from './refusals.ts';
import { drainSettings, noTokens, recorded } from './view.fixture.ts';

const driver: Driver = {
  name: 'virtual',
  providerSpec: {},
  createMachine: () => Promise.reject(),
  deleteMachine: () => Promise.reject(),
};

const LIMITS = {
  preserveTimeoutMs: 3_000,
  inPlaceTimeoutMs: 4_000,
  creationTimeoutMs: 1_000,
  healthTimeoutMs: 2_000,
  nodeConditions: ['KernelDeadlock'],
  drain: drainSettings,
  startupTaint: undefined,
};

/** A cache of these Machines. */
function machinesOf(all: readonly Machine[]): Cache<Machine> {
  const cache = new Cache<Machine>({ indexes: { node: ({ metadata }) => [metadata.labels?.['node'] ?? ''] } });
  for (const one of all) cache.put(one);
  return cache;
}

/** What is seen of a Machine beside these objects. */
function seen(
  one: Machine,
  { others = [] as Machine[], classes = [machineClass()], secrets = [] as Secret[], nodes = [] as Node[] } = {},
) {
  const clock = new FakeClock();
  const cached = <T extends { metadata: { name: string } }>(objects: readonly T[]) => {
    const cache = new Cache<T>();
    for (const object of objects) cache.put(object);
    return cache;
  };
  const drivers = new Map([['virtual', driver]]);
  const { calls, updatesOf } = callsFor({ clock });
  return observe(
    {
      machines: machinesOf([one, ...others]),
      classes: cached(classes),
      secrets: cached(secrets),
      targets: oneTarget({
        api: {} as never,
        nodes: cached(nodes),
        tokens: new Cache(),
        pods: new Cache(),
        heartbeats: undefined,
        attachments: new Cache(),
      }),
      tokens: noTokens,
      drivers,
      calls,
      updates: updatesOf(drivers),
      drains: new Drains({ clock, random: seededRandom(1), log: new FakeLog(), wake: () => {} }),
      refusals: new Refusals(),
      sets: new Cache(),
      permits: new Permits(),
      clock,
      limits: LIMITS,
    },
    'herd/m',
  );
}

describe('the class of a Machine', () => {
  const named = { secretRef: { name: 's' }, credentialsSecretRef: { name: 't', namespace: 'other' } };
  const secret = (namespace: string, name: string): Secret => ({ metadata: { namespace, name } });
  test.each([
    ['is its driver’s', machine(), {}, 'ours'],
    ['may be missing', machine({ metadata: { annotations: { [ANNOTATION_CLASS]: '' } } }), { classes: [] }, 'missing'],
    ['may be another driver’s', machine(), { classes: [machineClass({ provider: 'AWS' })] }, 'foreign'],
    [
      'may be a driver’s whose name differs in case',
      machine(),
      { classes: [machineClass({ provider: 'Virtual' })] },
      'foreign',
    ],
    [
      'may lack a secret',
      machine(),
      { classes: [machineClass(named)], secrets: [secret('herd', 's')] },
      'secretMissing',
    ],
    [
      'has its secrets',
      machine(),
      { classes: [machineClass(named)], secrets: [secret('herd', 's'), secret('other', 't')] },
      'ours',
    ],
    ['may be inline', machine({ spec: { provider: 'virtual', providerSpec: {} } }), { classes: [] }, 'ours'],
  ] as const)('%s', (_what, one, objects, at) => {
    expect(seen(one, objects as Parameters<typeof seen>[1])?.class.at).toBe(at);
  });
});

describe('the Node of a Machine', () => {
  const one = machine({
    ...recorded,
    metadata: { ...recorded.metadata, creationTimestamp: at(100) },
    spec: { providerID: 'virtual:///uid-m' },
  });
  const nameless = (seconds: number) =>
    node({ spec: { providerID: '' }, metadata: { creationTimestamp: at(seconds) } });
  test.each([
    ['is the one with its providerID', [node()], 'present'],
    ['is not one with another', [node({ spec: { providerID: 'other' } })], 'foreign'],
    ['is one of its name that came after it and says nothing', [nameless(101)], 'present'],
    ['is not one of its name that was there before', [nameless(99)], 'foreign'],
    ['is not one of another cloud whose VM has its id', [node({ spec: { providerID: 'aws:///uid-m' } })], 'foreign'],
    ['may be absent', [], 'absent'],
    [
      'is the one of its VM, written in another way',
      [node({ spec: { providerID: 'virtual:///zone/uid-m' } })],
      'present',
    ],
  ] as const)('%s', (_what, nodes, at) => {
    expect(seen(one, { nodes: [...nodes] })?.node.at).toBe(at);
  });

  test('is not one that another Machine has under the very same providerID', () => {
    const theirs = 'virtual:///zone/uid-m';
    const other = machine({ metadata: { ...recorded.metadata, name: 'other' }, spec: { providerID: theirs } });
    const nodes = [node({ spec: { providerID: theirs } })];
    expect(seen(one, { nodes, others: [other] })?.node.at).toBe('foreign');
  });

  test.each([
    ['that was there before is stale', node({ spec: { providerID: 'other:///1' } }), true],
    [
      'that came later is not',
      node({ spec: { providerID: 'other:///1' }, metadata: { creationTimestamp: at(101) } }),
      false,
    ],
    [
      'that is on its way out is not',
      node({ spec: { providerID: 'o' }, metadata: { deletionTimestamp: at(99) } }),
      false,
    ],
    ['that says nothing of its VM is not', nameless(99), false],
  ] as const)('of another VM %s (MCM 6.4)', (_what, other, stale) => {
    expect(seen(one, { nodes: [other] })?.node).toMatchObject({ at: 'foreign', stale });
  });

  const condition = (type: string, status: string) => ({ type, status });
  test.each([
    ['ready', [condition('Ready', 'True')], true],
    ['ready although another kind of condition is bad', [condition('Ready', 'True'), condition('Other', 'True')], true],
    ['not ready when Ready is denied', [condition('Ready', 'Unknown')], false],
    [
      'not ready when a condition that counts is bad',
      [condition('Ready', 'True'), condition('KernelDeadlock', 'True')],
      false,
    ],
    [
      'not ready when a condition that counts is in doubt',
      [condition('Ready', 'True'), condition('KernelDeadlock', 'Unknown')],
      false,
    ],
    ['ready without Ready when all others are well', [condition('KernelDeadlock', 'False')], true],
    ['not ready without conditions', [], false],
  ] as const)('is %s (MCM Annex B)', (_what, conditions, ready) => {
    const nodes = [node({ status: { conditions: [...conditions] } })];
    expect(seen(one, { nodes })?.node).toMatchObject({ at: 'present', ready });
  });
});

test('time-outs are the annotation’s, else the Machine’s, else the flags’', () => {
  const annotations = { 'node.machine.sapcloud.io/effective-creation-timeout': '5m' };
  expect(seen(machine())?.limits).toEqual({ creation: 1_000, health: 2_000, preserve: 3_000, inPlace: 4_000 });
  const own = {
    creationTimeout: '1m',
    healthTimeout: '30s',
    machinePreserveTimeout: '48h',
    inPlaceUpdateTimeout: '5m',
  };
  expect(seen(machine({ spec: own }))?.limits).toEqual({
    creation: 60_000,
    health: 30_000,
    preserve: 172_800_000,
    inPlace: 300_000,
  });
  expect(seen(machine({ spec: own, metadata: { annotations } }))?.limits.creation).toBe(300_000);
});

test('a Machine that is gone is not seen', () => {
  expect(seen(machine({ metadata: { name: 'other' } }))).toBeUndefined();
});

test('machines of one class share its slots by its UID, so that one made again begins anew (VMOP 2.5)', () => {
  const first = { at: 'ours', class: machineClass() } as const;
  const again = { at: 'ours', class: machineClass({ metadata: { uid: 'again' } }) } as const;
  const inline = { at: 'ours', class: machineClass({ metadata: { uid: undefined } }) } as const;
  const keys = [first, again, inline].map((fact) => slotKeyOf(machine(), fact));
  expect(keys).toEqual(['uid-small', 'again', 'herd/small']);
  expect(slotKeyOf(machine({ metadata: { uid: 'other' } }), first)).toBe('uid-small');
});
