import { expect, test } from 'bun:test';
import type { MachineSpec } from '../machinespec.ts';
import { machineSpecFault } from './machine.ts';

const named = { class: { kind: 'MachineClass', name: 'small' } };
const inline = { provider: 'virtual', providerSpec: {} };
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const;
const nodeTemplate = (metadata: object, taints: object[] = []) => ({
  ...named,
  nodeTemplate: { metadata, spec: { taints } },
});

test.each<[string, object | undefined, string | undefined]>([
  ['a class', named, undefined],
  ['an inline spec', inline, undefined],
  ['no spec', undefined, 'spec.class.name is missing: name a MachineClass, or set provider and providerSpec'],
  [
    'an empty name',
    { class: { name: '' } },
    'spec.class.name is missing: name a MachineClass, or set provider and providerSpec',
  ],
  [
    'both',
    { ...named, ...inline },
    'spec names a class and a provider: set either class, or provider and providerSpec',
  ],
  ['half an inline spec', { provider: 'virtual' }, 'spec: provider and providerSpec go together: set both or neither'],
  [
    'half of it beside a class',
    { ...named, providerSpec: {} },
    'spec: provider and providerSpec go together: set both or neither',
  ],
  ['a duration', { ...named, creationTimeout: '1h30m' }, undefined],
  ['a drain that takes no time', { ...named, drainTimeout: '0s' }, undefined],
  [
    'a time without a unit',
    { ...named, drainTimeout: '90' },
    'spec.drainTimeout "90" is no duration such as 90s or 1h30m',
  ],
  [
    'a time that runs backwards',
    { ...named, machinePreserveTimeout: '-1s' },
    'spec.machinePreserveTimeout "-1s" is no duration such as 90s or 1h30m',
  ],
  [
    'no time for health',
    { ...named, healthTimeout: '0s' },
    'spec.healthTimeout "0s" is no lasting duration such as 90s or 1h30m',
  ],
  ['taints', { ...named, taints: [taint, { ...taint, effect: 'NoExecute' }] }, undefined],
  [
    'a taint that Kubernetes writes, which was stored before the webhook',
    nodeTemplate({}, [{ ...taint, key: 'node.kubernetes.io/x' }]),
    undefined,
  ],
  ['a bad key', { ...named, taints: [{ ...taint, key: '-' }] }, 'spec.taints[0] is no taint that a Node can carry'],
  [
    'a bad value',
    nodeTemplate({}, [taint, { ...taint, value: 'a b' }]),
    'spec.nodeTemplate.spec.taints[1] is no taint that a Node can carry',
  ],
  [
    'a bad effect',
    { ...named, taints: [{ ...taint, effect: 'Never' }] },
    'spec.taints[0] is no taint that a Node can carry',
  ],
  [
    'a taint twice',
    { ...named, taints: [taint, { ...taint, value: '' }] },
    'spec.taints[1] is the second taint of its key and effect',
  ],
  ['labels and annotations', nodeTemplate({ labels: { 'a/b': 'c' }, annotations: { 'A/b': 'any thing' } }), undefined],
  [
    'a bad annotation',
    nodeTemplate({ annotations: { '/a': '' } }),
    'spec.nodeTemplate.metadata.annotations[/a] is no key of an annotation',
  ],
])('%s: %p', (_what, spec, fault) => {
  expect(machineSpecFault(spec as MachineSpec | undefined, 'spec')).toBe(fault as string);
});

test('a label that no Node can carry is told with its path', () => {
  const fault = machineSpecFault(nodeTemplate({ labels: { a: 'b c' } }) as MachineSpec, 'spec.template.spec');
  expect(fault).toStartWith('spec.template.spec.nodeTemplate.metadata.labels[a] ');
});
