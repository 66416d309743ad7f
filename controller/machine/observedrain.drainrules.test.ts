import { describe, expect, test } from 'bun:test';
import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { machine } from '../../test/fixtures/objects.ts';
import { drainRule } from './drainrules.fixture.ts';
import { rulesFor } from './observedrain.ts';

const skip = { behavior: 'Skip' } as const;
const one = machine({ metadata: { labels: { os: 'linux' } } });
const selects = (os: string) => ({ selector: { matchLabels: { os } } });
const inStage = (stage: string) => ({ clusterSelector: { matchLabels: { stage } } });

/** Names of the rules that count for the machine, in their order. */
function picked(rules: readonly MachineDrainRule[], clusterLabels?: Record<string, string>) {
  const fact = rulesFor(one, { rules, clusterLabels });
  return fact.at === 'known' ? fact.rules.map(({ name }) => name) : fact;
}

describe('a rule picks a Machine', () => {
  test.each<
    [
      what: string,
      machines: MachineDrainRule['spec']['machines'],
      cluster: Record<string, string> | undefined,
      yes: boolean,
    ]
  >([
    ['without machines', undefined, undefined, true],
    ['by its labels', [selects('linux')], undefined, true],
    ['not by those of others', [selects('windows')], undefined, false],
    ['by one entry of several', [selects('windows'), selects('linux')], undefined, true],
    ['by labels of its Cluster', [inStage('live')], { stage: 'live' }, true],
    ['not by those of another', [inStage('live')], { stage: 'test' }, false],
    ['not by labels of a Cluster that it has not', [inStage('live')], undefined, false],
    [
      'not by what its Cluster lacks, if it has none',
      [{ clusterSelector: { matchExpressions: [{ key: 'stage', operator: 'DoesNotExist' as const }] } }],
      undefined,
      false,
    ],
    ['by an empty selector of Clusters', [{ clusterSelector: {} }], undefined, true],
    ['only by all of an entry', [{ ...selects('linux'), ...inStage('live') }], { stage: 'test' }, false],
  ])('%s', (_what, machines, cluster, yes) => {
    const rule = drainRule('a', { drain: skip, ...(machines && { machines }) });
    expect(picked([rule], cluster)).toEqual(yes ? ['a'] : []);
  });
});

test('rules count in the order of their names', () => {
  expect(picked(['b', 'a', 'c'].map((name) => drainRule(name, { drain: skip })))).toEqual(['a', 'b', 'c']);
});

/** Which rules there are beside a faulty one, and which of them are faulty. */
const besides = (rules: readonly MachineDrainRule[]) => {
  const fact = rulesFor(one, { rules, clusterLabels: undefined });
  if (fact.at !== 'faulty') return fact.at;
  return fact.rules.map(({ name, behavior, faulty }) => `${name} ${behavior}${faulty ? ' faulty' : ''}`);
};

// hack/decisions/0051 L31
test('a rule that cannot be understood is told, and others are held against pods all the same', () => {
  const selector = { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } as never;
  const rules = [drainRule('a', { drain: skip }), drainRule('b', { drain: skip, pods: [{ selector }] })];
  expect(picked(rules)).toMatchObject({
    at: 'faulty',
    why: 'MachineDrainRule b: spec.pods[0].selector.matchExpressions[0].values must be empty with operator Exists',
  });
  expect(besides(rules)).toEqual(['a Skip', 'b Skip faulty']);
  const unlike = drainRule('c', { drain: { behavior: 'Evict' } } as never);
  expect(besides([unlike, ...rules])).toEqual(['a Skip', 'b Skip faulty', 'c Skip faulty']);
  expect(besides([drainRule('d', { drain: { behavior: 'Drain', order: 3 }, pods: [{ selector }] })])).toEqual([
    'd Drain faulty',
  ]);
  const others = drainRule('e', { drain: skip, pods: [{ selector }], machines: [selects('windows')] });
  expect(besides([others])).toEqual([]);
  expect(besides([drainRule('f', { drain: skip, machines: [{ selector }] })])).toEqual(['f Skip faulty']);
  expect(besides([{ ...others, spec: undefined as never }])).toEqual(['e Skip faulty']);
});

test('an order counts for pods that are drained alone', () => {
  const rules = [
    drainRule('a', { drain: { behavior: 'WaitCompleted', order: 3 } }),
    drainRule('b', { drain: { behavior: 'Drain', order: 3 } }),
  ];
  const fact = rulesFor(one, { rules, clusterLabels: undefined });
  expect(fact.at === 'known' && fact.rules.map(({ order }) => order)).toEqual([0, 3]);
});

test('more rules than are held against pods are told', () => {
  const rules = Array.from({ length: 101 }, (_, at) => drainRule(`r${at}`, { drain: skip }));
  expect(picked(rules)).toMatchObject({ at: 'faulty', why: expect.stringContaining('more than 100') });
  expect(besides(rules)).toEqual([' Skip faulty']);
  expect(besides(rules.map((rule) => ({ ...rule, spec: { drain: { behavior: 'Drain' } } })))).toEqual([]);
});

test('the same rule is the same for all who ask', () => {
  const rules = [drainRule('a', { drain: skip })];
  const [first, two] = [1, 2].map(() => rulesFor(one, { rules, clusterLabels: undefined }));
  expect(first?.at === 'known' && two?.at === 'known' && first.rules[0] === two.rules[0]).toBe(true);
});
