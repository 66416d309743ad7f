import { expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { at, BORN, inPhase, machine, machineSet } from '../../../test/fixtures/objects.ts';
import { deletionOrder } from './scaledown.ts';

const NOW = BORN + 3_600_000;
const priority = (value: string) => ({ metadata: { annotations: { 'machinepriority.machine.sapcloud.io': value } } });
const preserved = (until: number, annotations = {}) => ({
  metadata: { annotations },
  status: { currentStatus: { phase: 'Failed' as const, preserveExpiryTime: at(until) } },
});
const auto = { 'node.machine.sapcloud.io/preserve': 'auto-preserved' };
const marked = (at: string) => ({ metadata: { annotations: { 'machine.sapcloud.io/marked-for-deletion-time': at } } });
const condition = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });

/** From the first to go to the last. */
const expected: Array<[string, Machine]> = [
  ['priority 1', inPhase('Running', 0, priority('1'))],
  [
    'marked by Cluster API',
    inPhase('Running', 1, {
      metadata: { annotations: { 'cluster.x-k8s.io/delete-machine': 'x' }, creationTimestamp: at(1) },
    }),
  ],
  // hack/decisions/0051 U1
  [
    'marked by a cluster-autoscaler with CAPI_GROUP set to ours',
    inPhase('Running', 1, {
      metadata: { annotations: { 'machine.sapcloud.io/delete-machine': 'x' }, creationTimestamp: at(2) },
    }),
  ],
  ['marked earlier', inPhase('Running', 0, marked(at(10)))],
  ['marked later', inPhase('Running', 0, marked(at(20)))],
  ['terminating', inPhase('Terminating')],
  ['no phase', machine({ metadata: { creationTimestamp: at(1) } })],
  ['failed', inPhase('Failed')],
  ['crash loop', inPhase('CrashLoopBackOff')],
  ['unknown', inPhase('Unknown')],
  ['pending', inPhase('Pending')],
  ['available', inPhase('Available')],
  ['running, not ready', inPhase('Running')],
  // hack/decisions/0051 C6
  [
    'running, migrating',
    inPhase('Running', 0, {
      status: { ...condition('NodeHealthy').status, providerConditions: condition('Migrating').status.conditions },
    }),
  ],
  ['running, ready, older', inPhase('Running', 0, condition('NodeHealthy'))],
  [
    'running, ready by the word of its Node',
    inPhase('Running', 0, { ...condition('Ready'), metadata: { creationTimestamp: at(30) } }),
  ],
  [
    'running, ready, younger',
    inPhase('Running', 0, { ...condition('NodeHealthy'), metadata: { creationTimestamp: at(60) } }),
  ],
  [
    'running, migrating no longer, although something else holds',
    inPhase('Running', 0, {
      metadata: { creationTimestamp: at(90) },
      status: {
        ...condition('NodeHealthy').status,
        providerConditions: [{ type: 'Migrating', status: 'False' }, ...condition('Warm').status.conditions],
      },
    }),
  ],
  ['priority 4', inPhase('Failed', 0, priority('4'))],
  ['preserved by itself, ends earlier', machine(preserved(7200, auto))],
  ['preserved by itself, ends later', machine(preserved(7300, auto))],
  ['preserved by a person', machine(preserved(7200))],
];

test('hack/spec/mcm.md Annex B, deletion order: machines go in the order of hack/spec/mcm.md 5.5, mended as hack/decisions/0000 3 says', () => {
  const named = expected.map(([name, one]) => ({ ...one, metadata: { ...one.metadata, name } }));
  const shuffled = [...named].sort((a, b) => (a.metadata.name.length % 7) - (b.metadata.name.length % 7));
  expect(deletionOrder(shuffled, machineSet(), NOW).map(({ metadata }) => metadata.name)).toEqual(
    expected.map(([name]) => name),
  );
});

test('hack/spec/mcm.md Annex B, deletion order, mended (hack/spec/mcm.md 12, 5): a machine in the middle of an in-place update is no preferred victim', () => {
  const updating = inPhase('InPlaceUpdating', 0, { metadata: { name: 'updating' } });
  const unknown = inPhase('Unknown', 0, { metadata: { name: 'unknown' } });
  expect(deletionOrder([updating, unknown], machineSet(), NOW)[0]).toBe(unknown);
});

test('a preservation that has ended keeps nothing', () => {
  const ended = machine({ ...preserved(10), metadata: { name: 'ended' } });
  const running = inPhase('Running', 0, { metadata: { name: 'running' } });
  expect(deletionOrder([running, ended], machineSet(), NOW)[0]).toBe(ended);
});

test('a machine that is not available yet goes before those that are, and after those that are not ready (hack/decisions/0051 S7)', () => {
  const ready = (name: string, since: number) =>
    inPhase('Running', since, { ...condition('NodeHealthy'), metadata: { name, creationTimestamp: at(since) } });
  const unready = inPhase('Running', 0, { metadata: { name: 'unready', creationTimestamp: at(3_500) } });
  const machines = [ready('oldest', 0), ready('old', 60), ready('young', 3_550), unready];
  const names = (minReadySeconds: number) =>
    deletionOrder(machines, machineSet({ spec: { minReadySeconds, minReadySecondsPolicy: 'Honor' } }), NOW).map(
      ({ metadata }) => metadata.name,
    );
  expect(names(600)).toEqual(['unready', 'young', 'oldest', 'old']);
  expect(names(0)).toEqual(['unready', 'oldest', 'old', 'young']);
});

const MAX = 'machine.sapcloud.io/cluster-api-autoscaler-node-group-max-size';

test.each([
  ['with bounds of a cluster-autoscaler goes before those that run', { [MAX]: '3' }, 'kept'],
  ['without goes last', {}, 'running'],
])('a preserved Failed machine of a set %s (hack/decisions/0051 U21)', (_what, annotations, first) => {
  const kept = machine({ ...preserved(7200), metadata: { name: 'kept' } });
  const running = inPhase('Running', 0, { metadata: { name: 'running' } });
  const order = deletionOrder([running, kept], machineSet({ metadata: { annotations } }), NOW);
  expect(order[0]?.metadata.name).toBe(first);
});
