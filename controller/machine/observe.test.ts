import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import { at, machine, machineClass, machineDeployment, machineSet, node } from '../../test/fixtures/objects.ts';
import { classRecordOf } from '../model/class.ts';
import { ownedBy } from '../model/ownership.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { slotKeyOf } from './calls/limiter.ts';
import { recorded } from './flow/view.fixture.ts';
import { type Surroundings, seen, sourcesOf } from './observe.fixture.ts';
import { nodeFactsOf, observe } from './observe.ts';

describe('the class of a Machine', () => {
  const named = { secretRef: { name: 's' }, credentialsSecretRef: { name: 't', namespace: 'herd' } };
  const lent = { secretRef: { name: 's' }, credentialsSecretRef: { name: 't', namespace: 'other' } };
  const record = classRecordOf(machineClass(lent));
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
      { classes: [machineClass(named)], secrets: [secret('herd', 's'), secret('herd', 't')] },
      'ours',
    ],
    [
      'may name a secret of another namespace, which is there (hack/decisions/0028 W3, hack/decisions/0051 L19)',
      machine(),
      { classes: [machineClass(lent)], secrets: [secret('herd', 's'), secret('other', 't')] },
      'secretForeign',
    ],
    [
      'is none by a record that names a secret of another namespace (hack/decisions/0028 W3)',
      machine({ metadata: { annotations: { [ANNOTATION_CLASS]: record } } }),
      { classes: [], secrets: [secret('herd', 's'), secret('other', 't')] },
      'secretForeign',
    ],
    ['may be inline', machine({ spec: { provider: 'virtual', providerSpec: {} } }), { classes: [] }, 'ours'],
  ] as const)('%s', (_what, one, objects, at) => {
    expect(seen(one, objects as Surroundings)?.class.at).toBe(at);
  });
});

/** No record of ours says whose the Node is. */
const NOBODYS = { 'machine.sapcloud.io/machine': undefined, 'machine.sapcloud.io/cluster-namespace': undefined };

const UNNAMED = { 'node.gardener.cloud/machine-name': undefined };

describe('the Node of a Machine', () => {
  const one = machine({
    ...recorded,
    metadata: { ...recorded.metadata, creationTimestamp: at(400) },
    spec: { providerID: 'virtual:///uid-m' },
  });
  const nameless = (seconds: number) =>
    node({
      spec: { providerID: '' },
      metadata: { creationTimestamp: at(seconds), annotations: NOBODYS, labels: UNNAMED },
    });
  test.each([
    ['is the one with its providerID', [node()], 'present'],
    ['is not one with another', [node({ spec: { providerID: 'other' } })], 'foreign'],
    ['is one of its name that came after it and says nothing', [nameless(401)], 'present'],
    ['is not one of its name that was there before', [nameless(99)], 'foreign'],
    ['is not one of another cloud whose VM has its id', [node({ spec: { providerID: 'aws:///uid-m' } })], 'foreign'],
    ['may be absent', [], 'absent'],
    [
      'is not one whose id only ends alike (hack/decisions/0028 T6)',
      [node({ spec: { providerID: 'virtual:///zone/uid-m' } })],
      'foreign',
    ],
  ] as const)('%s', (_what, nodes, at) => {
    expect(seen(one, { nodes: [...nodes] })?.node.at).toBe(at);
  });

  test('is the one of its VM in other words, as its driver says, whoever names these (hack/decisions/0028 T7)', () => {
    const theirs = 'virtual:///zone/uid-m';
    const thief = machine({ metadata: { ...recorded.metadata, name: 'other' }, spec: { providerID: theirs } });
    const nodes = [node({ spec: { providerID: theirs } })];
    expect(seen(one, { nodes, others: [thief], isSameVm: () => true })?.node.at).toBe('present');
  });

  test.each([
    ['there, if its key is known', undefined, 'herd/other', 'uid-other'],
    ['gone, if it is not', undefined, 'herd/gone', undefined],
    ['gone from the namespace that is looked after', 'herd', 'herd/gone', undefined],
    ['perhaps there in another namespace, which is not', 'herd', 'shop/gone', 'unseen'],
  ])('hack/decisions/0028 W4: the Machine that is recorded on it is %s', (_what, namespace, key, expected) => {
    const other = machine({ metadata: { name: 'other', uid: 'uid-other' } });
    const sources = { ...sourcesOf(one, { others: [other] }), namespace };
    const where = { target: { api: {} } as never, name: 'm' };
    const facts = nodeFactsOf(sources, { machine: one, claim: { at: 'unknown' } }, where);
    const found = facts.named(key);
    expect(found === 'unseen' ? found : found?.metadata.uid).toBe(expected);
  });

  test.each([
    ['that was there before is stale', node({ spec: { providerID: 'other:///1' } }), true],
    [
      'that came later is not',
      node({ spec: { providerID: 'other:///1' }, metadata: { creationTimestamp: at(401) } }),
      false,
    ],
    [
      'that is on its way out is not',
      node({ spec: { providerID: 'o' }, metadata: { deletionTimestamp: at(99) } }),
      false,
    ],
    ['that says nothing of its VM is not', nameless(99), false],
  ] as const)('of another VM %s (hack/spec/mcm.md 6.4)', (_what, other, stale) => {
    expect(seen(one, { nodes: [other] })?.node).toMatchObject({ at: 'foreign', stale });
  });
});

test('time-outs are the annotation’s, else the Machine’s, else the flags’', () => {
  const annotations = { 'node.machine.sapcloud.io/effective-creation-timeout': '5m' };
  expect(seen(machine())?.limits).toEqual({
    creation: 1_000,
    health: 2_000,
    preserve: 3_000,
    inPlace: 4_000,
    vmYouth: 0,
  });
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
    vmYouth: 0,
  });
  expect(seen(machine({ spec: own, metadata: { annotations } }))?.limits.creation).toBe(300_000);
});

test('a Machine that is gone is not seen', () => {
  expect(seen(machine({ metadata: { name: 'other' } }))).toBeUndefined();
});

test('machines of one class share its slots by its UID, so that one made again begins anew (hack/spec/vm-operator.md 2.5)', () => {
  const first = { at: 'ours', class: machineClass() } as const;
  const again = { at: 'ours', class: machineClass({ metadata: { uid: 'again' } }) } as const;
  const inline = { at: 'ours', class: machineClass({ metadata: { uid: undefined } }) } as const;
  const keys = [first, again, inline].map((fact) => slotKeyOf(machine(), fact));
  expect(keys).toEqual(['uid-small', 'again', 'herd/small']);
  expect(slotKeyOf(machine({ metadata: { uid: 'other' } }), first)).toBe('uid-small');
});

describe('a Node that is nobody’s while machines are rolled (hack/decisions/0063)', () => {
  const pool = machineDeployment({ metadata: { name: 'pool', uid: 'uid-pool' } });
  const setOf = (name: string, annotations = {}) =>
    machineSet({
      metadata: { name, uid: `uid-${name}`, annotations, ownerReferences: [ownedBy(pool, 'MachineDeployment')] },
    });
  const fresh = setOf('fresh');
  const old = setOf('old', { 'deployment.machine.sapcloud.io/prefer-no-schedule': 'True' });
  const ownedIn = (set: typeof fresh) => ({ ownerReferences: [ownedBy(set, 'MachineSet')] });
  const one = machine({ ...recorded, metadata: { ...recorded.metadata, ...ownedIn(fresh) } });
  const two = machine({ metadata: { name: 'two', uid: 'uid-two', ...ownedIn(old) } });
  const nobodys = node({ metadata: { creationTimestamp: at(401), annotations: NOBODYS } });
  const around = (nodes: NonNullable<Surroundings['nodes']>) => ({ sets: [fresh, old], others: [two], nodes });

  test.each([
    ['is to be shielded with its claim', nobodys, true],
    ['is its deployment’s once it says whose it is', node(), undefined],
  ] as const)('%s', (_what, joining, disables) => {
    expect(seen(one, around([joining]))).toMatchObject({ node: { at: 'present' } });
    expect(seen(one, around([joining]))?.disablesScaleDown).toBe(disables as true);
  });

  test('is left to an autoscaler where that is wanted', () => {
    const sources = { ...sourcesOf(one, around([nobodys])), disablesScaleDown: false };
    expect(observe(sources, 'herd/m')?.disablesScaleDown).toBeUndefined();
  });
});
