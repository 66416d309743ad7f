import { expect, test } from 'bun:test';
import { priorityOverride } from './machine.ts';

const OURS = 'protected.drover.dev/reconcile-priority';
const VM_OPERATORS = 'vmoperator.vmware.com.protected/reconcile-priority';

test.each<[string, Record<string, string> | undefined, number | 'invalid' | undefined]>([
  ['no annotations', undefined, undefined],
  ['others', { note: '5' }, undefined],
  ['ours', { [OURS]: '5' }, 5],
  ["VM Operator's", { [VM_OPERATORS]: '-7' }, -7],
  ['both, ours first', { [VM_OPERATORS]: '7', [OURS]: '5' }, 5],
  ['the least', { [OURS]: '-100' }, -100],
  ['the most', { [OURS]: '+100' }, 100],
  ['too little', { [OURS]: '-101' }, 'invalid'],
  ['too much', { [OURS]: '101' }, 'invalid'],
  ['no integer', { [OURS]: '1.5' }, 'invalid'],
  ['no number', { [OURS]: 'high' }, 'invalid'],
  ['empty', { [OURS]: '' }, 'invalid'],
  ['blanks', { [OURS]: ' 5' }, 'invalid'],
])('an override is read: %s', (_what, annotations, expected) => {
  expect(priorityOverride(annotations)).toBe(expected);
});
