import { expect, test } from 'bun:test';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { Machine } from '../../schemas/machine.ts';
import { isComplete, type Row, rowsOf } from './display.ts';

const machine = (name: string, status: Machine['status'] = {}, deletionTimestamp?: string): Machine => ({
  metadata: { name, deletionTimestamp },
  spec: {},
  status,
});
const node = (status: string): Node => ({
  metadata: { name: 'any' },
  status: { conditions: [{ type: 'Ready', status }] },
});

test.each([
  ['made just now', machine('a'), undefined, ['Creating', 'none']],
  ['with a VM', machine('a', { currentStatus: { phase: 'Pending' } }), node('False'), ['Pending', 'not ready']],
  ['that joined', machine('a', { currentStatus: { phase: 'Running' } }), node('True'), ['Running', 'ready']],
  [
    'being deleted',
    machine('a', { currentStatus: { phase: 'Running' } }, '2026-01-01T00:00:00Z'),
    node('True'),
    ['Deleting', 'ready'],
  ],
] as const)('a machine %s', (_what, given, nodeOf, [phase, ready]) => {
  expect(rowsOf([given], () => nodeOf)).toEqual([{ machine: 'a', phase, node: ready, reason: '' }]);
});

test('rows are in the order of their names, and the Node is found by the name that the machine reports', () => {
  const machines = [machine('b'), machine('a', { nodeRef: { name: 'worker-7' } })];
  const asked: string[] = [];
  const rows = rowsOf(machines, (name) => {
    asked.push(name);
    return undefined;
  });
  expect(rows.map((row) => row.machine)).toEqual(['a', 'b']);
  expect(asked.sort()).toEqual(['b', 'worker-7']);
});

const row = (phase: string, ready: Row['node']): Row => ({ machine: 'a', phase, node: ready, reason: '' });

test.each([
  ['all Running and ready', [row('Running', 'ready')], 1, true],
  ['none wanted', [], 0, true],
  ['too few', [row('Running', 'ready')], 2, false],
  ['too many', [row('Running', 'ready'), row('Running', 'ready')], 1, false],
  ['a Node that is not ready', [row('Running', 'not ready')], 1, false],
  ['one that leaves', [row('Deleting', 'ready')], 1, false],
])('a herd with %s', (_what, rows, wanted, complete) => {
  expect(isComplete(rows, wanted)).toBe(complete);
});
