import { describe, expect, test } from 'bun:test';
import {
  type DrainRule,
  effortOf,
  keysRead,
  readsNamespaces,
  readsPods,
  ruled,
  type Subject,
  type Verdict,
  verdictOn,
} from './rules.ts';

const pod = (changes: Partial<Subject> = {}): Subject => ({
  namespace: 'shop',
  completed: false,
  drainLabels: {},
  labels: { app: 'web' },
  namespaceLabels: { team: 'blue' },
  ...changes,
});
const rule = (name: string, changes: Partial<DrainRule> = {}): DrainRule => ({
  name,
  behavior: 'Drain',
  order: 0,
  ...changes,
});
const app = (value: string) => ({ selector: { matchLabels: { app: value } } });
const team = (value: string) => ({ namespaceSelector: { matchLabels: { team: value } } });
const named = (value: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': value } } });

const usual: Verdict = { behavior: 'Drain', order: 0 };
const skipped = (by: string): Verdict => ({ behavior: 'Skip', order: 0, by });
const waited = (by: string): Verdict => ({ behavior: 'WaitCompleted', order: 0, by });
const ordered = (order: number, name: string): Verdict => ({
  behavior: 'Drain',
  order,
  by: `MachineDrainRule ${name}`,
});

const skip = (name: string, changes: Partial<DrainRule> = {}) => rule(name, { behavior: 'Skip', ...changes });
const SKIP_A = skipped('MachineDrainRule a');
const unseen = pod({ labels: undefined, namespaceLabels: undefined });

describe('a drain', () => {
  test.each<[what: string, subject: Subject, rules: DrainRule[], verdict: Verdict]>([
    ['makes a pod leave that no rule picks', pod(), [], usual],
    ['holds a rule without pods against all', pod(), [skip('a')], SKIP_A],
    ['goes by the first rule that picks the pod', pod(), [rule('a', { order: 5 }), skip('b')], ordered(5, 'a')],
    [
      'passes over rules for others',
      pod(),
      [skip('a', { pods: [app('db')] }), rule('b', { order: -3 })],
      ordered(-3, 'b'),
    ],
    ['asks one entry of a rule alone', pod(), [skip('a', { pods: [app('db'), app('web')] })], SKIP_A],
    ['asks all of an entry', pod(), [skip('a', { pods: [{ ...app('web'), ...team('red') }] })], usual],
    ['takes a pod by its namespace', pod(), [skip('a', { pods: [team('blue')] })], SKIP_A],
    [
      'takes an empty selector for all',
      pod(),
      [skip('a', { pods: [{ selector: {}, namespaceSelector: {} }] })],
      SKIP_A,
    ],
    ['knows the name of a namespace', unseen, [skip('a', { pods: [named('shop')] })], SKIP_A],
    ['knows that it is another', unseen, [skip('a', { pods: [named('bank')] })], usual],
    ['asks for labels of the pod', unseen, [skip('a', { pods: [app('web')] })], { lacks: 'labels', maySkip: true }],
    [
      'asks for labels of the namespace',
      unseen,
      [skip('a', { pods: [team('blue')] })],
      { lacks: 'namespaceLabels', maySkip: true },
    ],
    [
      'asks for no labels where another entry picks the pod',
      unseen,
      [skip('a', { pods: [team('blue'), named('shop')] })],
      SKIP_A,
    ],
    [
      'asks for none of a namespace that cannot matter',
      pod({ namespaceLabels: undefined }),
      [skip('a', { pods: [{ ...app('db'), ...team('blue') }] })],
      usual,
    ],
    [
      'asks before a later rule decides',
      unseen,
      [skip('a', { pods: [app('web')] }), rule('b')],
      { lacks: 'labels', maySkip: true },
    ],
    ['knows that none skips the pod', unseen, [rule('a', { pods: [app('web')] })], { lacks: 'labels', maySkip: false }],
    // hack/decisions/0051 L31
    [
      'knows that a later one may',
      unseen,
      [rule('a', { pods: [app('web')] }), skip('b', { pods: [team('blue')] })],
      { lacks: 'labels', maySkip: true },
    ],
    [
      'knows that none behind the one that picks the pod does',
      unseen,
      [rule('a', { pods: [app('web')] }), rule('b'), skip('c')],
      { lacks: 'labels', maySkip: false },
    ],
    [
      'asks for what another entry lacks than the one that does not pick the pod',
      unseen,
      [skip('a', { pods: [named('bank'), app('web')] })],
      { lacks: 'labels', maySkip: true },
    ],
    [
      'passes over rules for others on the way to one that lacks something',
      pod({ namespaceLabels: undefined }),
      [skip('a', { pods: [app('db')] }), rule('b', { pods: [team('blue')] })],
      { lacks: 'namespaceLabels', maySkip: false },
    ],
    [
      'and behind one that is faulty',
      pod(),
      [rule('a', { faulty: true }), skip('b', { pods: [app('db')] })],
      { lacks: 'rule', maySkip: false },
    ],
    ['goes by a sound rule before a faulty one', pod(), [skip('a'), rule('b', { faulty: true })], SKIP_A],
    [
      'cannot go by one behind it',
      pod(),
      [rule('a', { faulty: true }), skip('b', { pods: [app('web')] })],
      { lacks: 'rule', maySkip: true },
    ],
    [
      'knows that a faulty one does not skip the pod, and looks up what can be',
      unseen,
      [rule('a', { faulty: true }), rule('b', { pods: [app('web')] })],
      { lacks: 'labels', maySkip: false },
    ],
    [
      'waits for a pod that is to complete',
      pod(),
      [rule('a', { behavior: 'WaitCompleted' })],
      waited('MachineDrainRule a'),
    ],
    ['lets one leave that has', pod({ completed: true }), [rule('a', { behavior: 'WaitCompleted' })], usual],
    ['lets one be that has completed', pod({ completed: true }), [skip('a')], SKIP_A],
  ])('%s', (_what, subject, rules, verdict) => {
    expect(verdictOn(subject, (pod) => ruled(pod, rules))).toEqual(verdict);
  });

  const CLUSTER_API = 'cluster.x-k8s.io/drain';
  test.each<[labels: Record<string, string>, verdict: Verdict]>([
    [{ [CLUSTER_API]: 'skip' }, skipped(`its label ${CLUSTER_API}`)],
    [{ [CLUSTER_API]: 'Skip' }, skipped(`its label ${CLUSTER_API}`)],
    [{ 'drover.dev/drain': 'skip' }, skipped('its label drover.dev/drain')],
    [{ [CLUSTER_API]: 'wait-completed' }, waited(`its label ${CLUSTER_API}`)],
    [{ [CLUSTER_API]: 'waitcompleted' }, waited(`its label ${CLUSTER_API}`)],
    // hack/decisions/0051 U15
    [{ [CLUSTER_API]: 'wait--completed' }, ordered(7, 'a')],
    [{ [CLUSTER_API]: 'sk-ip' }, ordered(7, 'a')],
    [{ [CLUSTER_API]: 'WaitCompleted' }, waited(`its label ${CLUSTER_API}`)],
    [{ [CLUSTER_API]: 'skip', 'drover.dev/drain': 'wait-completed' }, waited('its label drover.dev/drain')],
    [{ [CLUSTER_API]: 'skip', 'drover.dev/drain': 'no' }, skipped(`its label ${CLUSTER_API}`)],
    [{ [CLUSTER_API]: 'constructor' }, ordered(7, 'a')],
    [{ [CLUSTER_API]: 'drain' }, ordered(7, 'a')],
  ])('takes the word of the label %j before that of a rule', (drainLabels, verdict) => {
    expect(verdictOn(pod({ drainLabels }), (subject) => ruled(subject, [rule('a', { order: 7 })]))).toEqual(verdict);
  });
});

describe('what a rule reads', () => {
  const many = { matchLabels: { app: 'web', tier: 'a' }, matchExpressions: [{ key: 'zone', operator: 'Exists' }] };
  const mixed = { matchLabels: { 'kubernetes.io/metadata.name': 'shop', team: 'blue' } };
  const NAME = 'kubernetes.io/metadata.name';

  test.each<[what: string, pods: DrainRule['pods'], pods: boolean, namespaces: boolean, keys: string[]]>([
    ['of all pods', undefined, false, false, []],
    ['of those that an empty selector picks', [{ selector: {} }], false, false, []],
    ['of pods by label', [app('web')], true, false, ['app']],
    ['of pods by labels', [{ selector: many }], true, false, ['app', 'tier', 'zone']],
    ['of a namespace by name', [named('shop')], false, false, [NAME]],
    ['of namespaces by label', [team('blue')], false, true, ['team']],
    ['of a namespace by name and label', [{ namespaceSelector: mixed }], false, true, [NAME, 'team']],
    ['in one entry of several', [named('shop'), team('blue'), app('web')], true, true, [NAME, 'app', 'team']],
  ])('%s', (_what, pods, ofPods, ofNamespaces, keys) => {
    const one = rule('a', { pods });
    expect([readsPods(one), readsNamespaces(one)]).toEqual([ofPods, ofNamespaces]);
    expect([...keysRead([one])].toSorted()).toEqual(keys.toSorted());
  });

  test('are so many parts to be looked at', () => {
    expect(effortOf([])).toBe(0);
    expect(effortOf([rule('a')])).toBe(1);
    expect(effortOf([rule('a'), rule('b', { pods: [{ selector: many }] })])).toBe(7);
  });
});
