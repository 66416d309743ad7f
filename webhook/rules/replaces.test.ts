import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { LABEL_TEMPLATE_HASH } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { factsOf, smallClass } from '../../test/admission/facts.ts';
import { setWith } from '../../test/admission/replaces.ts';
import { NotYetKnown } from '../admission/context.ts';
import { judgeBy } from '../admission/rule.ts';
import { rollbackReplaces, setTemplateReplaces, templateReplaces } from './replaces.ts';

type Spec = MachineDeployment['spec'];

const template = (className: string, spec: object = {}): Spec['template'] => ({
  metadata: { labels: { app: 'herd' } },
  spec: { class: { kind: 'MachineClass', name: className }, ...spec },
});

const surge = { maxSurge: 1, maxUnavailable: 0 };
const strategy = { type: 'RollingUpdate', rollingUpdate: surge } as const;

const herd = (more: Partial<Spec> = {}): MachineDeployment => ({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: { name: 'herd', namespace: 'default' },
  spec: { replicas: 5, strategy, template: template('small'), ...more },
});

const message = (now: MachineDeployment, sets: readonly KubeObject[], before = herd()) =>
  templateReplaces.validate(now, before, factsOf(sets)).map((violation) => violation.message);

const to = (className: string, more: Partial<Spec> = {}) => herd({ template: template(className), ...more });
const five = [setWith(1, 5)];
const half = [setWith(1, 3), setWith(2, 2, 'large')];
/** A set of which so many are to stay. */
const leavingOf = (set: MachineSet, replicas: number): MachineSet => ({ ...set, spec: { ...set.spec, replicas } });
const inPlace = (orchestrationType: 'Auto' | 'Manual') =>
  ({ strategy: { type: 'InPlaceUpdate', inPlaceUpdate: { ...surge, orchestrationType } } }) as const;

// hack/decisions/0028 T53: twenty sets with 35,000 annotations each took 240 ms of a review
test('templates that are too large to be compared for a warning are not compared, and the warning says so', () => {
  const annotations = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, '']));
  const wide = [setWith(1, 3), setWith(2, 2)].map((set) => {
    const { spec } = set as MachineSet;
    return { ...set, spec: { ...spec, template: { ...spec?.template, metadata: { annotations } } } };
  });
  const unsure = ['may replace machines: the templates of its MachineSets are too large to be compared here'];
  expect(message(to('large'), wide)).toEqual(unsure);
  const back = herd({ rollbackTo: { revision: 1 } });
  expect(rollbackReplaces.validate(back, herd(), factsOf(wide)).map((violation) => violation.message)).toEqual(unsure);
  expect(message(to('large'), wide.slice(0, 1))).toEqual(['will replace 3 machines']);
});

// hack/decisions/0028 T66: 60,000 finalizers in each of twenty sets took 1.3 s of a review, for only labels and annotations counted
describe('templates that are too large to be compared, whatever is large in them', () => {
  const unsure = ['may replace machines: the templates of its MachineSets are too large to be compared here'];
  const many = (count: number) => Array.from({ length: count }, (_, at) => `a/${at}`);
  const shapes: [string, (count: number) => Spec['template']][] = [
    [
      'finalizers',
      (count) => ({ ...template('small'), metadata: { labels: { app: 'herd' }, finalizers: many(count) } }),
    ],
    [
      'providerSpec',
      (count) => ({
        metadata: { labels: { app: 'herd' } },
        spec: { provider: 'virtual', providerSpec: { a: { b: many(count).map(() => ({})) } } },
      }),
    ],
  ];

  test.each(shapes)('%s', (_what, wideOf) => {
    const sets = [setWith(1, 3), setWith(2, 2)].map((set) => ({
      ...set,
      spec: { ...set.spec, template: wideOf(10_000) },
    }));
    const now = herd({ template: wideOf(6_000) });
    expect(message(now, sets as KubeObject[])).toEqual(unsure);
    expect(message(now, [setWith(1, 3)])).toEqual(['will replace 3 machines']);
    // Two versions of one document as well.
    const huge = herd({ template: wideOf(20_000) });
    expect(message(huge, [setWith(1, 3)], now)).toEqual(['will replace 3 machines']);
    expect(message(huge, [setWith(1, 3)], herd({ template: wideOf(20_000) }))).toEqual(unsure);
    expect(message(huge, [], herd({ template: wideOf(20_000) }))).toEqual([]);
    const back = { ...now, spec: { ...now.spec, rollbackTo: {} } };
    expect(
      rollbackReplaces.validate(back, now, factsOf(sets as KubeObject[])).map((violation) => violation.message),
    ).toEqual(unsure);
  });

  test.each<[string, boolean, string]>([
    ['a lone set', false, 'replaces no machine'],
    [
      'a set of a deployment',
      true,
      'may no longer be that of its MachineDeployment, which would replace machines: it is too large to be compared here',
    ],
  ])('of %s', (_what, isOwned, sentence) => {
    const [, [, wideOf]] = shapes as [unknown, (typeof shapes)[number]];
    const one = setWith(1, 3);
    const { ownerReferences, ...loose } = one.metadata;
    const metadata = isOwned ? one.metadata : loose;
    const set = { ...one, metadata, spec: { ...one.spec, template: wideOf(20_000) } } as MachineSet;
    const owner = { ...herd(), metadata: { ...herd().metadata, uid: ownerReferences?.[0]?.uid } } as KubeObject;
    const found = setTemplateReplaces.validate(set, set, factsOf([owner]));
    expect(found.map((violation) => violation.message)).toEqual([sentence]);
  });
});

// hack/decisions/0051 U10
describe('a change of a template tells what becomes of the machines', () => {
  test.each<[string, MachineDeployment, readonly KubeObject[], string[]]>([
    ['another class', to('large'), five, ['will replace 5 machines']],
    ['of one machine', to('large'), [setWith(1, 1)], ['will replace 1 machine']],
    ['that goes on', to('huge'), half, ['will replace 5 machines']],
    ['that goes back on half of the way', to('large'), half, ['will replace 3 machines']],
    // hack/decisions/0051 U32
    [
      'that goes back while the first of the new machines is made on top',
      to('large'),
      [setWith(1, 1), setWith(2, 5, 'large')],
      ['replaces no machine: 1 that was made for the other template goes'],
    ],
    [
      'that goes back while the old set shrinks already',
      to('large'),
      [setWith(1, 3), leavingOf(setWith(2, 5, 'large'), 3)],
      ['will replace 2 machines'],
    ],
    [
      'to what all have',
      to('large'),
      [setWith(1, 0), setWith(2, 5, 'large')],
      ['replaces no machine: all 5 are of this template'],
    ],
    ['of more machines than are wanted', to('large', { replicas: 2 }), five, ['will replace 2 machines']],
    ['of no machine that is wanted', to('large', { replicas: 0 }), five, []],
    ['of no machine that there is', to('large'), [setWith(1, 0)], []],
    [
      'all at once',
      to('large', { strategy: { type: 'Recreate' } }),
      five,
      ['will replace 5 machines, all of them at once'],
    ],
    [
      'while it is paused',
      to('large', { paused: true }),
      five,
      ['will replace 5 machines, when it is no longer paused'],
    ],
    ['in place', to('large', inPlace('Auto')), five, ['will update 5 machines in place']],
    [
      'in place, by hand',
      to('large', inPlace('Manual')),
      five,
      ['will update 5 machines in place, each once its Node has node.machine.sapcloud.io/selected-for-update=true'],
    ],
    [
      'that is a setting',
      herd({ template: template('small', { taints: [{ key: 'a', effect: 'NoSchedule' }] }) }),
      half,
      ['replaces no machine: the change reaches the 5 that there are'],
    ],
    [
      'that lives',
      herd({ template: template('small', { drainTimeout: '1h' }) }),
      five,
      ['replaces no machine: the change reaches the 5 that there are'],
    ],
  ])('%s', (_what, now, sets, sentences) => expect(message(now, sets)).toEqual(sentences));

  // hack/decisions/0051 U13
  test('of a class of another machine controller, that its objects are reached', () => {
    const aws = { ...smallClass, provider: 'AWS' };
    const now = herd({ template: template('small', { deletionPolicy: 'Retain' }) });
    expect(message(now, [aws, ...five])).toEqual([
      'replaces no machine: the change reaches the objects of the 5 that there are, and it is for the machine controller of provider AWS to heed it',
    ]);
  });

  test('of two sets of one template the older one stays', () => {
    const aged = (set: MachineSet, year: number): MachineSet => ({
      ...set,
      metadata: { ...set.metadata, creationTimestamp: `${year}-01-01T00:00:00Z` },
    });
    const sets = [aged(setWith(1, 3), 2026), aged(setWith(2, 1), 2025), aged(setWith(3, 1, 'large'), 2024)];
    expect(message(to('small'), sets, to('large'))).toEqual(['will replace 4 machines']);
  });

  test('of a set that somebody gave the hash of another label, it is the same template', () => {
    const [set] = five;
    expect(set?.spec.template?.metadata?.labels?.[LABEL_TEMPLATE_HASH]).toBe('1');
    expect(message(to('small'), five, to('large'))).toEqual(['replaces no machine: all 5 are of this template']);
  });
});

// hack/decisions/0051 U32
test('a rollback in the moment in which a rollout begins tells that no machine is replaced', () => {
  const back = to('large', { rollbackTo: { revision: 1 } });
  const sets = factsOf([setWith(1, 5), setWith(2, 2, 'large')]);
  expect(rollbackReplaces.validate(back, to('large'), sets).map((violation) => violation.message)).toEqual([
    'replaces no machine: 2 that were made for the other template go',
  ]);
});

test.each([
  [
    'what its driver marks hot',
    { tags: { team: 'green' } },
    'replaces no machine: the change reaches the 5 that there are',
  ],
  ['anything else', { initialize: true }, 'will replace 5 machines'],
  // hack/decisions/0051 S25
  [
    'what was left out, and is null now',
    { initialize: null },
    'replaces no machine: the change reaches the 5 that there are',
  ],
])('of a template without a class: %s', (_what, providerSpec, sentence) => {
  const inline = (spec: object): Spec['template'] => ({
    metadata: { labels: { app: 'herd' } },
    spec: { provider: 'virtual', providerSpec: { tags: { team: 'red' }, ...spec } },
  });
  const [set] = five;
  const before = inline({});
  const sets = [{ ...set, spec: { ...set?.spec, template: before } } as MachineSet];
  expect(message(herd({ template: inline(providerSpec) }), sets, herd({ template: before }))).toEqual([sentence]);
});

test('a webhook that has not seen any set yet tells nothing, and lets it through', () => {
  const sets = (): never => {
    throw new NotYetKnown('nothing has been read yet');
  };
  expect(judgeBy([templateReplaces])(to('large'), herd(), { ...factsOf(), sets })).toEqual([]);
});

describe('a rollback tells the same', () => {
  const back = (revision: number | undefined) => herd({ rollbackTo: { revision } });
  const sets = [setWith(1, 0, 'large'), setWith(2, 1, 'huge'), setWith(3, 4)];
  test.each<[string, number | undefined, string[]]>([
    ['to the revision before', undefined, ['will replace 4 machines']],
    ['to the revision before, by 0', 0, ['will replace 4 machines']],
    ['to one by number', 1, ['will replace 5 machines']],
    ['to the present one', 3, ['will replace 1 machine']],
    ['to none that there is', 7, []],
  ])('%s', (_what, revision, sentences) => {
    const found = rollbackReplaces.validate(back(revision), herd(), factsOf(sets));
    expect(found.map((violation) => violation.message)).toEqual(sentences);
  });
});

describe('a change of the template of a set', () => {
  const loose = (className: string): MachineSet => {
    const { ownerReferences: _, ...metadata } = setWith(1, 3).metadata;
    return { ...setWith(1, 3, className), metadata };
  };
  const owner = { ...herd(), metadata: { ...herd().metadata, uid: '1' } };
  test.each<[string, MachineSet, MachineSet, string[]]>([
    [
      'replaces none',
      loose('large'),
      loose('small'),
      [
        'replaces no machine: it holds for those that the set makes from now on, and the 3 that there are stay as they are',
      ],
    ],
    [
      'makes its deployment replace all',
      setWith(1, 3, 'large'),
      setWith(1, 3),
      [
        'is no longer that of MachineDeployment herd, which will replace 3 machines of the set for it; change the template of the deployment instead',
      ],
    ],
  ])('%s', (_what, now, before, sentences) => {
    expect(setTemplateReplaces.validate(now, before, factsOf([owner])).map((violation) => violation.message)).toEqual(
      sentences,
    );
  });
});
