import { describe, expect, test } from 'bun:test';
import { celMeant } from '../../schemas/keypattern.ts';
import { machineSetKind } from '../../schemas/machineset.ts';
import { protectedKeys } from '../admission/protectedkeys.ts';
import type { Rule } from '../admission/rule.ts';
import { tables } from '../rules/kinds/registry.ts';
import type { Templated } from '../rules/places.ts';
import { mutatingConfiguration, validatingConfiguration } from './configuration.ts';
import { celHeldDropped } from './guardedkeys.ts';

const rule: Rule<Templated> = {
  id: 'few',
  on: ['update'],
  field: 'spec.replicas',
  message: 'must be few',
  validate: () => [],
};
const table = (more: Partial<Rule<Templated>>) => ({
  kind: machineSetKind,
  rules: [{ ...rule, ...more }],
  defaults: [],
  guarded: ['metadata'],
});

describe('while the webhook is down', () => {
  test.each<[string, Partial<Rule<Templated>>, string]>([
    ['goes on when no rule could refuse it', { level: 'warn' }, 'Ignore'],
    ['goes on when the rules look elsewhere', { field: 'spec.selector' }, 'Ignore'],
    ['waits when one could refuse it', {}, 'Fail'],
    ['waits when one that looks at the whole spec could', { field: 'spec' }, 'Fail'],
  ])('a scale %s', (_what, more, policy) => {
    const scale = validatingConfiguration([table(more)]).webhooks.find(({ name }) => name === 'scale.drover.dev');
    expect(scale).toMatchObject({ failurePolicy: policy, rules: [{ resources: ['machinesets/scale'] }] });
  });

  test('nothing but a scale, a deletion without protection and the shield of a status or of a deletion goes on', () => {
    const all = [...validatingConfiguration(tables).webhooks, ...mutatingConfiguration(tables).webhooks];
    const names = all.filter(({ failurePolicy }) => failurePolicy === 'Ignore').map(({ name }) => name);
    expect(names).toEqual(['scale.drover.dev', 'delete.drover.dev', 'keep.drover.dev']);
  });
});

test('a deletion is asked about only where a rule judges it, and no finalizer but one that is held', () => {
  const { webhooks } = validatingConfiguration(tables);
  const deletions = webhooks.filter(({ rules }) => rules.some(({ operations }) => operations.includes('DELETE')));
  const asked = { apiGroups: ['drover.dev'], resources: ['clusters'], operations: ['DELETE'] };
  expect(deletions.map(({ name, rules }) => [name, rules])).toMatchObject([
    ['protect.drover.dev', [asked]],
    ['delete.drover.dev', [asked]],
  ]);
  const rules = webhooks.flatMap((one) => one.rules.flatMap(({ resources }) => resources));
  expect(rules.filter((one) => one.includes('finalizers'))).toEqual([]);
  const conditions = webhooks.flatMap(({ matchConditions }) => matchConditions.map(({ expression }) => expression));
  const held = tables.flatMap((one) => (one.held ? [celHeldDropped(one.held)] : []));
  expect(held).toHaveLength(1);
  for (const one of conditions)
    expect(held.reduce((text, part) => text.replaceAll(part, ''), one)).not.toContain('finalizers');
});

test('what leaves is asked about only where a protected key, a claim or a cluster changes (hack/decisions/0028 W2)', () => {
  const guard = validatingConfiguration(tables).webhooks.find(({ name }) => name === 'guard.drover.dev');
  expect(guard).toMatchObject({
    failurePolicy: 'Fail',
    rules: [{ operations: ['UPDATE'] }, { operations: ['UPDATE'] }],
  });
  const [leaves, changes] = guard?.matchConditions ?? [];
  expect(leaves?.expression).toBe('has(oldObject.metadata.deletionTimestamp)');
  for (const { keys } of protectedKeys) {
    for (const key of keys) expect(changes?.expression).toContain(celMeant(key));
  }
  for (const field of ['.?labels.?node', '.?spec.?providerID', "[?'cluster.k8s.io/cluster-name']"])
    expect(changes?.expression).toContain(field);
});

// hack/decisions/0028 T88
test('of an object with many owners it is asked in any case, before each of them is looked for', () => {
  const keep = mutatingConfiguration(tables).webhooks.find(({ name }) => name === 'keep.drover.dev');
  const [condition] = keep?.matchConditions ?? [];
  expect(condition?.expression).toMatch(
    /\|\| object\.metadata\.\?ownerReferences\S+\.size\(\) > 100 \|\| oldObject\.metadata\.\?ownerReferences\S+\.size\(\) > 100 \|\| object\S+\.exists\(/,
  );
});

test('policies guard every touch of every protected key', () => {
  expect(protectedKeys.filter(({ on }) => on.length !== 3)).toEqual([]);
});

test('a webhook has a rule for each API group', () => {
  const [validate] = validatingConfiguration(tables).webhooks;
  expect(validate?.rules.map(({ apiGroups, resources }) => [apiGroups, resources])).toEqual([
    [['machine.sapcloud.io'], ['machineclasses', 'machines', 'machinesets', 'machinedeployments']],
    [['drover.dev'], ['clusters', 'machinedrainrules']],
  ]);
});
