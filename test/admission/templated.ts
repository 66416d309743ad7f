import { LABEL_CLUSTER, LABEL_TEMPLATE_HASH } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { creationTimeoutCases } from './annotations.ts';
import { autoscalerCases } from './autoscaler.ts';
import type { AdmissionCase } from './case.ts';
import { clusterThereCases } from './clusterthere.ts';
import { drivenFieldCases } from './drivenfields.ts';
import { type SpecBuild, specCases } from './machinespec.ts';
import { madeFromCases } from './madefrom.ts';
import { overlapCases } from './sets.ts';

type Labels = Record<string, string>;
type Selector = NonNullable<MachineSet['spec']['selector']>;
type Templated = MachineSet | MachineDeployment;
type Build<T extends Templated> = (change?: (made: T) => void) => T;

/** What holds for the selector, the cluster and the template's metadata of sets and deployments alike. */
export function templatedCases<T extends Templated>(build: Build<T>): AdmissionCase<T>[] {
  const spec: SpecBuild<T> = { build, specOf: (made) => made.spec.template.spec, idPrefix: 'template-' };
  return [
    ...selectorCases(build),
    ...clusterCases(build),
    ...templateCases(build),
    ...specCases(spec),
    ...madeFromCases(spec),
    ...drivenFieldCases(spec),
    ...overlapCases(build),
    ...creationTimeoutCases(build),
    ...autoscalerCases(build),
  ];
}

const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `x-${at}`);

const labelled = (count: number) => ({ matchLabels: Object.fromEntries(many(count).map((key) => [key, 'here'])) });

function selectorCases<T extends Templated>(build: Build<T>): AdmissionCase<T>[] {
  const selecting = (selector: Selector | undefined, labels: Labels = { app: 'herd' }) =>
    build((made) => {
      made.spec.selector = selector;
      made.spec.template.metadata = { labels };
    });
  const asking = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', values?: string[]): Selector => ({
    matchExpressions: [{ key: 'app', operator, ...(values ? { values } : {}) }],
  });
  return [
    { what: 'a plain one', now: build(), refused: [] },
    { what: 'expressions that match', now: selecting(asking('In', ['herd', 'flock'])), refused: [] },
    { what: 'a selector with no part', now: selecting({}), refused: ['selector-not-empty'] },
    {
      what: 'a selector with empty parts',
      now: selecting({ matchLabels: {}, matchExpressions: [] }),
      refused: ['selector-not-empty'],
    },
    {
      what: 'a label that the template lacks (hack/spec/cluster-api.md F2 10)',
      now: selecting({ matchLabels: { app: 'flock' } }),
      refused: ['selector-matches-template'],
    },
    {
      what: 'an expression that the template fails (hack/spec/cluster-api.md F2 10)',
      now: selecting(asking('DoesNotExist')),
      refused: ['selector-matches-template'],
    },
    {
      what: 'a template without labels (hack/spec/cluster-api.md F2 10)',
      now: selecting({ matchLabels: { app: 'herd' } }, {}),
      refused: ['selector-matches-template'],
    },
    { what: 'a thousand values', now: selecting(asking('In', ['herd', ...many(999)])), refused: [] },
    // hack/decisions/0028 T4
    {
      what: 'more values than any selector needs',
      now: selecting(asking('In', ['herd', ...many(1_000)])),
      refused: ['selector-parses'],
    },
    {
      what: 'more expressions than any selector needs',
      now: selecting({ matchExpressions: many(101).map((key) => ({ key, operator: 'DoesNotExist' })) }),
      refused: ['selector-parses'],
    },
    {
      what: 'more labels than any selector needs',
      now: selecting(labelled(101), labelled(101).matchLabels),
      refused: ['selector-parses'],
    },
    { what: 'as many labels as it may have', now: selecting(labelled(100), labelled(100).matchLabels), refused: [] },
    { what: 'In without values', now: selecting(asking('In')), refused: ['selector-parses'] },
    {
      what: 'Exists with values, and a bad key and value',
      now: selecting({ ...asking('Exists', ['herd']), matchLabels: { '-app': 'he rd' } }),
      refused: ['selector-parses', 'selector-parses', 'selector-parses'],
    },
    {
      what: 'a selector with another label (hack/spec/cluster-api.md F2 10)',
      before: selecting({ matchLabels: { app: 'herd' } }),
      now: selecting({ matchLabels: { app: 'flock' } }, { app: 'flock' }),
      refused: ['selector-immutable'],
    },
    {
      what: 'a selector that became wider (hack/spec/cluster-api.md F2 10)',
      before: selecting({ matchLabels: { app: 'herd', tier: 'a' } }, { app: 'herd', tier: 'a' }),
      now: selecting({ matchLabels: { app: 'herd' } }, { app: 'herd', tier: 'a' }),
      refused: ['selector-immutable'],
    },
    {
      what: 'an empty selector instead of one',
      before: selecting({ matchLabels: { app: 'herd' } }),
      now: selecting({}),
      refused: ['selector-immutable', 'selector-not-empty'],
    },
    {
      what: 'the same selector, written otherwise',
      before: selecting({ matchLabels: { app: 'herd' } }),
      now: selecting({ matchLabels: { app: 'herd' }, matchExpressions: [] }),
      refused: [],
    },
    {
      what: 'a first selector',
      before: selecting({}),
      now: selecting({ matchLabels: { app: 'herd' } }),
      refused: [],
    },
    {
      what: 'a template that leaves its selector (hack/spec/cluster-api.md F2 10)',
      before: build(),
      now: selecting({ matchLabels: { app: 'herd' } }, { app: 'flock' }),
      refused: ['selector-matches-template'],
    },
    {
      what: 'more replicas of an object whose selector was bad before',
      before: selecting({ matchLabels: { app: 'flock' } }),
      now: build((made) => {
        made.spec.selector = { matchLabels: { app: 'flock' } };
        made.spec.template.metadata = { labels: { app: 'herd' } };
        made.spec.replicas = 5;
      }),
      refused: [],
    },
    {
      what: 'a hash in the selector together with another label',
      before: build(),
      now: selecting(
        { matchLabels: { app: 'herd', tier: 'a', [LABEL_TEMPLATE_HASH]: '1' } },
        { app: 'herd', tier: 'a', [LABEL_TEMPLATE_HASH]: '1' },
      ),
      refused: ['selector-immutable'],
    },
  ];
}

function clusterCases<T extends Templated>(build: Build<T>): AdmissionCase<T>[] {
  const inCluster = (own: string | undefined, template: string | undefined) =>
    build((made) => {
      if (own !== undefined) made.metadata.labels = { [LABEL_CLUSTER]: own };
      made.spec.template.metadata = {
        labels: { app: 'herd', ...(template === undefined ? {} : { [LABEL_CLUSTER]: template }) },
      };
    });
  const both = (name: string | undefined) => inCluster(name, name);
  const live = (made: T): T => ({ ...made, spec: { ...made.spec, replicas: 3 } });
  return [
    { what: 'a cluster', now: inCluster('west', 'west'), refused: [] },
    { what: 'a cluster in the template only', now: inCluster(undefined, 'west'), refused: [] },
    { what: 'another cluster than its template', now: inCluster('east', 'west'), refused: ['cluster-agrees'] },
    { what: 'a first cluster', before: build(), now: inCluster('west', 'west'), refused: [] },
    {
      what: 'a first cluster while there are machines',
      before: live(build()),
      now: live(inCluster('west', 'west')),
      refused: [],
      warned: ['cluster-rolls'],
    },
    {
      what: 'a first cluster of its own, which its template had before',
      before: live(inCluster(undefined, 'west')),
      now: live(inCluster('west', 'west')),
      refused: [],
    },
    {
      what: 'a first cluster of its template alone, while there are machines',
      before: live(build()),
      now: live(inCluster(undefined, 'west')),
      refused: [],
    },
    {
      what: 'another cluster (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster('west', 'west'),
      now: inCluster('east', 'west'),
      refused: ['cluster-set-once'],
    },
    {
      what: 'no cluster any more (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster('west', 'west'),
      now: inCluster(undefined, 'west'),
      refused: ['cluster-set-once'],
    },
    {
      what: 'another cluster in the template (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster(undefined, 'west'),
      now: inCluster(undefined, 'east'),
      refused: ['template-cluster-set-once'],
    },
    {
      what: 'no cluster in the template any more (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster(undefined, 'west'),
      now: inCluster(undefined, undefined),
      refused: ['template-cluster-set-once'],
    },
    {
      what: 'another cluster everywhere (hack/spec/cluster-api.md A1.12 L1)',
      before: inCluster('west', 'west'),
      now: inCluster('east', 'east'),
      refused: ['cluster-set-once', 'template-cluster-set-once'],
    },
    ...clusterThereCases(both, ''),
    ...clusterThereCases((name) => inCluster(undefined, name), 'template-'),
  ];
}

function templateCases<T extends Templated>(build: Build<T>): AdmissionCase<T>[] {
  const annotated = (annotations: Labels) =>
    build((made) => {
      made.spec.template.metadata = { labels: { app: 'herd' }, annotations };
    });
  const key = 'protected.drover.dev/reconcile-priority';
  const held = (...finalizers: string[]) =>
    build((made) => {
      made.spec.template.metadata = { labels: { app: 'herd' }, finalizers };
    });
  return [
    {
      what: 'an override in the template by its owner',
      now: annotated({ [key]: '5' }),
      refused: ['protected-priority'],
    },
    {
      what: 'a check of deletion in the template by its owner',
      now: annotated({ 'delete.check.drover.dev/billing': 'a' }),
      refused: ['protected-delete-check'],
    },
    {
      what: 'an override in the template by an operator',
      as: 'operator',
      before: build(),
      now: annotated({ [key]: '5' }),
      refused: [],
    },
    {
      what: 'an override in the template removed by its owner',
      before: annotated({ [key]: '5' }),
      now: annotated({}),
      refused: ['protected-priority'],
    },
    {
      what: 'a bad label and a bad annotation in the template',
      now: build((made) => {
        made.spec.template.metadata = { labels: { app: 'herd', tier: 'a b' }, annotations: { '/a': '' } };
      }),
      refused: ['template-annotations-valid', 'template-labels-valid'],
    },
    // hack/decisions/0051 U29: the API server refuses each machine that is born with them.
    {
      what: 'a finalizer in the template that no object may have',
      now: held('not a finalizer!'),
      refused: ['template-finalizers-valid'],
    },
    {
      what: "both of the garbage collector's finalizers in the template",
      now: held('orphan', 'foregroundDeletion'),
      refused: ['template-finalizers-valid'],
    },
    { what: 'a finalizer in the template', now: held('example.com/audit', 'orphan'), refused: [] },
    {
      what: 'a finalizer in the template beside one that is stored and that no object may have',
      before: held('not one!'),
      now: held('example.com/audit', 'not one!'),
      refused: [],
    },
    {
      what: 'an override out of range in the template',
      as: 'operator',
      now: annotated({ [key]: '-101' }),
      refused: ['template-priority-in-range'],
    },
  ];
}
