import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../../controller/runtime/k8s/object.ts';
import { machineKind } from '../../../schemas/machine.ts';
import type { Rule } from '../../admission/rule.ts';
import type { Table } from '../../admission/table.ts';
import { tableFindings, tables } from './registry.ts';

const rule = (more: Partial<Rule<KubeObject>> = {}): Rule<KubeObject> => ({
  id: 'good',
  on: ['create'],
  field: 'spec.providerID',
  message: 'must be good',
  validate: () => [],
  ...more,
});

const table = (rules: Rule<KubeObject>[], more: Partial<Table<KubeObject>> = {}): Table<KubeObject> => ({
  kind: machineKind,
  rules,
  defaults: [],
  guarded: ['metadata'],
  ...more,
});

test('the tables of the program have no fault', () => {
  expect(tableFindings(tables)).toEqual([]);
});

describe('a table tells what is wrong with itself', () => {
  const fill = { id: 'fill', field: 'spec.providerID', description: '', value: () => 1 };
  test.each<[string, Table<KubeObject>[], string[]]>([
    ['nothing', [table([rule()])], []],
    ['an id taken twice', [table([rule(), rule()])], ['Machine: rule id good is taken twice']],
    ['a rule on nothing', [table([rule({ on: [] })])], ['Machine: rule good is on no operation']],
    [
      'an unknown field',
      [table([rule({ field: 'spec.provider.id' })])],
      ['Machine: there is no field spec.provider.id'],
    ],
    [
      'an unknown field to look at',
      [table([rule({ reads: ['spec.wool'] })])],
      ['Machine: there is no field spec.wool'],
    ],
    ['a label is known', [table([rule({ field: 'metadata.labels[example.io/wool]' })])], []],
    ['unknown metadata', [table([], { guarded: ['spec.metadata'] })], ['Machine: there is no field spec.metadata']],
    ['a default taken twice', [table([], { defaults: [fill, fill] })], ['Machine: default id fill is taken twice']],
    [
      'one id for two rules',
      [table([rule()]), table([rule({ message: 'must be bad' })])],
      [
        'Machine: rule good says something else than in another table',
        'Machine: rule good says something else than in another table',
      ],
    ],
  ])('%s', (_what, all, findings) => {
    expect(tableFindings(all)).toEqual(findings);
  });
});
