import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import type { AdmissionCase } from './case.ts';
import { copiedCases } from './copied.ts';
import { nodeKeyCases } from './nodekeys.ts';

/** How to make a good object, and where the spec of a machine stands in it. */
export interface SpecBuild<T extends KubeObject> {
  build(change?: (made: T) => void): T;
  specOf(made: T): MachineSpec;
  /** Of the ids of rules over the spec. */
  idPrefix: '' | 'template-';
}

/** What holds for the spec of a machine, in Machines and in templates: its class, its taints, and the metadata of its Node. */
export function specCases<T extends KubeObject>(place: SpecBuild<T>): AdmissionCase<T>[] {
  const { build, specOf, idPrefix } = place;
  const saying = (spec: MachineSpec, change: (made: T) => void = () => {}) =>
    build((made) => {
      Object.assign(specOf(made), spec);
      change(made);
    });
  const id = (name: string) => `${idPrefix}${name}`;
  const parts = { saying, id };
  return [...classCases(parts), ...taintCases(parts), ...nodeMetadataCases(parts), ...nodeKeyCases(place)];
}

interface Parts<T extends KubeObject> {
  saying(spec: MachineSpec, change?: (made: T) => void): T;
  id(name: string): string;
}

const classCases = <T extends KubeObject>({ saying, id }: Parts<T>): AdmissionCase<T>[] => [
  { what: 'no class', now: saying({ class: undefined }), refused: [id('class-named')] },
  { what: 'an empty class', now: saying({ class: { kind: '', name: '' } }), refused: [id('class-named')] },
  { what: 'a class without a kind', now: saying({ class: { name: 'small' } }), refused: [id('class-named')] },
  { what: 'a class without a name', now: saying({ class: { kind: 'MachineClass' } }), refused: [id('class-named')] },
  {
    what: 'a driver instead of a class',
    now: saying({ class: {}, provider: 'virtual', providerSpec: {} }),
    refused: [],
  },
  {
    what: 'other settings where the class was missing before',
    before: saying({ class: undefined }),
    now: saying({ class: undefined, drainTimeout: '5m' }),
    refused: [],
  },
  {
    what: 'no class any more',
    before: saying({}),
    now: saying({ class: { kind: 'MachineClass', name: '' } }),
    refused: [id('class-named')],
  },
  ...copiedCases({ broken: saying({ class: undefined }), good: saying({}), rule: id('class-named') }),
];

const taint = (key: string, value = 'a') => ({ key, value, effect: 'NoSchedule' as const });
const onNode = (...taints: Array<ReturnType<typeof taint>>): MachineSpec => ({ nodeTemplate: { spec: { taints } } });

const taintCases = <T extends KubeObject>({ saying, id }: Parts<T>): AdmissionCase<T>[] => [
  {
    what: 'good taints',
    now: saying({ ...onNode(taint('dedicated'), taint('example.io/gpu', '')), taints: [taint('stateful')] }),
    refused: [],
  },
  {
    what: 'a taint that people write',
    now: saying(onNode(taint('node.kubernetes.io/out-of-service'))),
    refused: [],
  },
  { what: 'a taint with a bad key', now: saying({ taints: [taint('no key!')] }), refused: [id('taints-valid')] },
  {
    what: 'a taint with a bad value',
    now: saying(onNode(taint('dedicated', 'a b'))),
    refused: [id('taints-valid')],
  },
  ...[
    'node.kubernetes.io/unreachable',
    'node.cloudprovider.kubernetes.io/uninitialized',
    'deployment.machine.sapcloud.io/prefer-no-schedule',
    'node.machine.sapcloud.io/preserved',
  ].map(
    (key): AdmissionCase<T> => ({
      what: `the reserved taint ${key}`,
      now: saying(onNode(taint('dedicated'), taint(key))),
      refused: [id('taints-not-reserved')],
    }),
  ),
  {
    what: 'a second taint beside a reserved one that was there before',
    before: saying(onNode(taint('node.kubernetes.io/unreachable'))),
    now: saying(onNode(taint('node.kubernetes.io/unreachable'), taint('dedicated'))),
    refused: [],
  },
  {
    what: 'two taints of a key and an effect',
    now: saying(onNode(taint('dedicated'), taint('dedicated', 'b'))),
    refused: [id('taints-unique')],
  },
];

const nodeMetadataCases = <T extends KubeObject>({ saying, id }: Parts<T>): AdmissionCase<T>[] => {
  const labelled = (labels: Record<string, string>) => saying({ nodeTemplate: { metadata: { labels } } });
  const annotated = (annotations: Record<string, string>) => saying({ nodeTemplate: { metadata: { annotations } } });
  return [
    { what: 'good labels of the Node', now: labelled({ 'example.io/pool': 'a', empty: '' }), refused: [] },
    { what: 'a bad label of the Node', now: labelled({ 'example.io/': 'a' }), refused: [id('labels-valid')] },
    { what: 'a bad value of a label', now: labelled({ pool: 'a/b' }), refused: [id('labels-valid')] },
    {
      what: 'a good label beside a bad one that was there before',
      before: labelled({ pool: 'a/b' }),
      now: labelled({ pool: 'a/b', tier: 'a' }),
      refused: [],
    },
    { what: 'good annotations of the Node', now: annotated({ 'Example.io/Note': 'any / text' }), refused: [] },
    { what: 'a bad annotation of the Node', now: annotated({ 'a b': '' }), refused: [id('annotations-valid')] },
    { what: 'too much of them', now: annotated({ a: 'x'.repeat(256 * 1024) }), refused: [id('annotations-valid')] },
  ];
};
