import { expect, test } from 'bun:test';
import { machineSet } from '../../test/fixtures/objects.ts';
import { noteOf, selectingReasons } from '../flow/flow.ts';
import { childrenLeft } from './machine.ts';

const staying = machineSet();
const going = machineSet({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
const { finalizers: _, ...bare } = going.metadata;
/** hack/decisions/0051 S37 */
const kept = { ...going, metadata: { ...bare, finalizers: ['example.com/audit'] } };

// hack/decisions/0051 S27
test.each([
  ['nobody', [], 'pass'],
  ['one that leaves', [going], 'MachineSetsTerminating: 1 set on the way out'],
  ['one that somebody else keeps', [kept], 'pass'],
  ['one that may not be deleted', [staying], 'DeletionRefused: 1 set may not be deleted'],
  ['some of both', [staying, going, going], 'DeletionRefused: 1 set may not be deleted, 2 leave'],
])('an owner that is deleted and has %s says so', (_what, children, said) => {
  const outcome = childrenLeft(children, { one: 'set', terminating: 'MachineSetsTerminating' });
  expect(outcome.kind === 'wait' ? `${outcome.reason}: ${outcome.message}` : outcome.kind).toBe(said);
});

// hack/decisions/0051 U33
test('that children may not be deleted is told by an event', () => {
  const outcome = childrenLeft([staying], { one: 'set', terminating: 'MachineSetsTerminating' });
  expect(noteOf(selectingReasons, { step: 'ChildrenDeleted', outcome })).toEqual([
    { type: 'Warning', reason: 'DeletionRefused', note: '1 set may not be deleted' },
  ]);
});
