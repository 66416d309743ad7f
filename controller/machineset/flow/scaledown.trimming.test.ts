import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { at, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { plan } from './flow.ts';
import { unaskedChoice } from './scaledown.ts';
import { view } from './view.fixture.ts';
import type { MachineSetView } from './view.ts';

/** hack/decisions/0051 U27, S29, S30: what the API server says of machines counts, not what a watch has yet to show. */

const machine = (name: string, metadata: Partial<Machine['metadata']> = {}, phase = 'Running'): Machine =>
  inPhase(phase, 0, { metadata: { name, uid: `uid-${name}`, ...metadata } });
const three = ['a', 'b', 'c'].map((name) => machine(name));
const sized = (replicas: number, labels: Record<string, string> = {}) =>
  machineSet({ metadata: { labels }, spec: { replicas } });
const listed = (...machines: KubeObject[]) =>
  new Map(machines.map(({ metadata }) => [metadata.uid ?? '', { metadata }]));
const judged = (facts: Partial<MachineSetView>): string => {
  const { outcome } = plan(view(facts));
  if (outcome.kind !== 'act') return 'reason' in outcome ? outcome.reason : outcome.kind;
  const { action } = outcome;
  const about = 'machines' in action ? action.machines.map(({ metadata }) => metadata.name) : [];
  return [action.do, ...about].join(' ');
};

const BY_CLUSTER_API = { annotations: { 'machine.sapcloud.io/delete-machine': 'now' } };
const BY_PRIORITY = { annotations: { 'machinepriority.machine.sapcloud.io': '1' } };
const BY_MCM = {
  annotations: { ...BY_PRIORITY.annotations, 'machine.sapcloud.io/marked-for-deletion-time': at(10) },
};
const ARRIVED = { labels: { 'node.machine.sapcloud.io/update-result': 'successful' } };
const LEAVING = { deletionTimestamp: at(50) };
const two = sized(2);
const [a, b, c] = three as [Machine, Machine, Machine];
const kept = inPhase('Failed', 0, {
  metadata: { name: 'c', uid: 'uid-c' },
  status: { currentStatus: { preserveExpiryTime: at(300_000) } },
});

describe('of machines too many go', () => {
  test.each<[string, Partial<MachineSetView>, string]>([
    ['the oldest, where nothing was asked', { set: two, machines: three }, 'delete a'],
    ['the same, where the list says no more', { set: two, machines: three, listed: listed(...three) }, 'delete a'],
    [
      'the one that Cluster API’s autoscaler marked, which no watch has shown',
      { set: two, machines: three, listed: listed(a, b, machine('c', BY_CLUSTER_API)) },
      'delete c',
    ],
    [
      'the one of first priority, which no watch has shown',
      { set: two, machines: three, listed: listed(a, b, machine('c', BY_PRIORITY)) },
      'delete c',
    ],
    [
      'the one that MCM marked, preserved or not',
      {
        set: two,
        machines: [a, b, kept],
        listed: listed(a, b, machine('c', BY_MCM)),
        victimsUntil: Date.parse(at(20)),
      },
      'delete c',
    ],
    [
      'none in the place of one whose mark was taken off',
      { set: two, machines: [machine('a', BY_MCM), b], listed: listed(a, b), victimsUntil: Date.parse(at(20)) },
      'pass',
    ],
    [
      'not that whose mark was taken off',
      { set: two, machines: [a, b, machine('c', BY_CLUSTER_API)], listed: listed(...three) },
      'delete a',
    ],
    ['none in the place of one that is gone', { set: two, machines: three, listed: listed(b, c) }, 'pass'],
    [
      'none in the place of one that leaves',
      { set: two, machines: three, listed: listed(a, b, machine('c', LEAVING)) },
      'pass',
    ],
    [
      'none as long as one is not seen (S30)',
      { set: two, machines: three, listed: listed(...three, machine('d')) },
      'WaitingForCache',
    ],
    [
      'some while one is not seen that leaves, or comes from another set',
      { set: two, machines: three, listed: listed(...three, machine('d', LEAVING), machine('e', ARRIVED)) },
      'delete a',
    ],
    ['none that has moved to another set (S29)', { set: sized(0), machines: three, listed: listed(b) }, 'delete b'],
  ])('%s', (_who, facts, said) => {
    expect(judged(facts)).toBe(said);
  });

  test('with those that failed for good, but not those that are wished to stay', () => {
    const failed = ['c', 'd'].map((name) => machine(name, {}, 'Failed'));
    const machines = [a, b, ...failed];
    const wished = new Set(failed.slice(1));
    const preserving = { most: 0, counted: [], candidates: [], wished };
    const facts = { set: sized(3), machines, preserving, listed: listed(...machines) };
    expect(judged(facts)).toBe('delete c');
  });
});

describe('the API server is asked', () => {
  const { annotations } = BY_MCM;
  test.each<[string, Partial<MachineSetView>, boolean]>([
    ['before some go and others stay', { set: two, machines: three }, true],
    [
      'before one that is named goes',
      { machines: [machine('a', { annotations }), b, c], victimsUntil: Infinity },
      true,
    ],
    ['not a second time', { set: two, machines: three, listed: listed(...three) }, false],
    ['not where all go', { set: sized(0), machines: three }, false],
    [
      'where all go of a set from which machines move on (S29)',
      { set: sized(0, { 'node.machine.sapcloud.io/scale-up-disabled': 'true' }), machines: three },
      true,
    ],
    ['not for those that failed', { machines: [a, b, machine('c', {}, 'Failed')] }, false],
    ['not where nothing is to go', { machines: three }, false],
    [
      'not where something else comes first',
      { set: machineSet({ ...two, metadata: { finalizers: [] } }), machines: three },
      false,
    ],
    [
      'not for a set that is deleted',
      { set: machineSet({ metadata: LEAVING, spec: { replicas: 2 } }), machines: three },
      false,
    ],
  ])('%s', (_when, facts, asks) => {
    const seen = view(facts);
    expect(unaskedChoice(seen, plan(seen)) !== undefined).toBe(asks);
  });
});
