import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { factsOf } from '../../test/admission/facts.ts';
import { type Facts, NotYetKnown } from './context.ts';
import { judgeBy, judgeDeletionBy, type Level, type Rule, RuleError, when } from './rule.ts';

const named = (name: string, labels: Record<string, string> = {}): KubeObject => ({ metadata: { name, labels } });

const rule = (more: Partial<Rule<KubeObject>> = {}): Rule<KubeObject> => ({
  id: 'never',
  on: ['create', 'update'],
  field: 'metadata.labels[wool]',
  message: 'is never right',
  validate: () => when(true),
  ...more,
});

const facts = factsOf();

const found = (rules: Rule<KubeObject>[], now: KubeObject, before?: KubeObject) =>
  judgeBy(rules)(now, before, facts).map(({ rule: id }) => id);

describe('which rules an update is judged by', () => {
  test.each<[string, Partial<Rule<KubeObject>>, KubeObject, KubeObject, boolean]>([
    ['one whose field changed', {}, named('a', { wool: 'red' }), named('a', { wool: 'white' }), true],
    ['one whose field came', {}, named('a', { wool: 'red' }), named('a'), true],
    ['one whose field went', {}, named('a'), named('a', { wool: 'red' }), true],
    ['none whose field stayed', {}, named('a', { wool: 'red', bell: 'tin' }), named('a', { wool: 'red' }), false],
    ['one that looks at what changed', { reads: ['metadata.labels'] }, named('a', { bell: 'tin' }), named('a'), true],
    ['none for creations', { on: ['create'] }, named('a', { wool: 'red' }), named('a'), false],
  ])('%s', (_what, more, now, before, judged) => {
    expect(found([rule(more)], now, before)).toEqual(judged ? ['never'] : []);
  });
});

test('a creation is judged by all rules for creations', () => {
  expect(found([rule(), rule({ id: 'later', on: ['update'] })], named('a'))).toEqual(['never']);
});

test('a deletion is judged by the rules for deletions alone', () => {
  const rules = [rule(), rule({ id: 'stays', on: ['delete'] })];
  expect(judgeDeletionBy(rules)(named('a'), facts).map(({ rule: id }) => id)).toEqual(['stays']);
  expect(found(rules, named('a'))).toEqual(['never']);
});

test('a violation may name a place below the field, and a sentence of its own', () => {
  const validate = () => [{ at: '.left', message: 'is wrong' }, {}];
  expect(
    judgeBy([rule({ validate, level: 'warn', reason: 'FieldValueRequired' })])(named('a'), undefined, facts),
  ).toEqual([
    {
      rule: 'never',
      level: 'warn',
      field: 'metadata.labels[wool].left',
      reason: 'FieldValueRequired',
      message: 'is wrong',
    },
    {
      rule: 'never',
      level: 'warn',
      field: 'metadata.labels[wool]',
      reason: 'FieldValueRequired',
      message: 'is never right',
    },
  ]);
});

describe('a rule that looks up what is not known yet', () => {
  const validate = (_now: KubeObject, _before: KubeObject | undefined, { sets }: Facts) => when(sets().length > 0);
  const unknown: Facts = {
    ...facts,
    sets() {
      throw new NotYetKnown('nothing has been read yet');
    },
  };
  const judged = (level: 'deny' | 'warn') => judgeBy([rule({ validate, level })])(named('a'), undefined, unknown);

  test('refuses, and a later try helps', () => {
    const [finding, ...more] = judged('deny');
    expect(finding).toMatchObject({ message: 'cannot be judged: nothing has been read yet; try again' });
    expect(more).toEqual([]);
  });

  test('is silent if it would only warn', () => {
    expect(judged('warn')).toEqual([]);
  });
});

// hack/decisions/0028 W11
describe('of a Machine that a MachineSet made', () => {
  const owner = { apiVersion, kind: 'MachineSet', name: 'b', uid: '1', controller: true };
  const dyed = { name: 'a', labels: { wool: 'red' }, ownerReferences: [owner] };
  const now: KubeObject = { kind: 'Machine', metadata: dyed };
  const owning = (uid: string, labels: Record<string, string>) =>
    ({ metadata: { name: 'b', uid }, spec: { template: { metadata: { labels } } } }) as unknown as MachineSet;

  test.each<[string, MachineSet | undefined, Partial<Rule<KubeObject>>, KubeObject | undefined, Level]>([
    [
      'what its template says is only warned of',
      owning('1', { wool: 'red' }),
      { warnIfCopied: true },
      undefined,
      'warn',
    ],
    ['unless the rule is about something else', owning('1', { wool: 'red' }), {}, undefined, 'deny'],
    // hack/decisions/0051 C4
    [
      'and so it is when it is carried there later',
      owning('1', { wool: 'red' }),
      { warnIfCopied: true },
      named('a'),
      'warn',
    ],
    [
      'unless the template says something else',
      owning('1', { wool: 'blue' }),
      { warnIfCopied: true },
      named('a'),
      'deny',
    ],
    ['what its template does not say is refused', owning('1', {}), { warnIfCopied: true }, undefined, 'deny'],
    [
      'what another set of that name says is refused',
      owning('2', { wool: 'red' }),
      { warnIfCopied: true },
      undefined,
      'deny',
    ],
    ['what nobody has said is refused', undefined, { warnIfCopied: true }, undefined, 'deny'],
  ])('%s', (_what, set, more, before, expected) => {
    const seen = { ...facts, templated: () => set };
    const validate = ({ metadata }: KubeObject) => when(metadata.labels?.['wool'] === 'red');
    expect(judgeBy([rule({ validate, ...more })])(now, before, seen).map(({ level }) => level)).toEqual([expected]);
  });
});

test('a rule that throws is named', () => {
  const validate = () => {
    throw new TypeError('no such thing');
  };
  expect(() => judgeBy([rule({ validate })])(named('a'), undefined, facts)).toThrow(
    new RuleError('rule never could not be judged'),
  );
});
