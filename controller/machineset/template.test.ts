import { expect, test } from 'bun:test';
import { ANNOTATION_CLASS, FINALIZER } from '../../schemas/keys.ts';
import { inPhase, machineSet } from '../../test/fixtures/objects.ts';
import { newMachine, propagation } from './template.ts';
import { view } from './view.fixture.ts';

const inline = (providerSpec: object) => ({ class: undefined, provider: 'virtual', providerSpec });
const machineOf = (providerSpec: object) => inPhase('Running', 0, { spec: inline(providerSpec) });
const setOf = (providerSpec: object) => machineSet({ spec: { template: { spec: inline(providerSpec) } } });

test.each([
  ['a hot field', { tags: { a: '1' } }, { tags: { a: '2' } }, { providerSpec: { tags: { a: '2' } } }],
  ['a hot field that is gone', { tags: { a: '1' } }, {}, { providerSpec: { tags: null } }],
  ['nothing', { tags: { a: '1' } }, { tags: { a: '1' } }, undefined],
  [
    'a hot field beside another node: that is for new machines',
    { node: { os: 'linux' } },
    { tags: { a: '1' }, node: { os: 'windows' } },
    undefined,
  ],
])('a machine with an inline spec follows %s of its set', (_what, machine, set, patch) => {
  expect<unknown>(propagation(setOf(set), machineOf(machine))).toEqual(patch);
});

test('a machine of a class follows no inline spec', () => {
  expect(propagation(setOf({ tags: {} }), inPhase('Running'))).toBeUndefined();
});

test('a new machine tells an autoscaler of which deployment it is (CKV E3.5)', () => {
  const labels = { 'cluster.x-k8s.io/deployment-name': 'pool', other: 'x' };
  expect(newMachine(view({ set: machineSet({ metadata: { labels } }) }), 'm').metadata.labels).toEqual({
    pool: 'a',
    'cluster.x-k8s.io/deployment-name': 'pool',
  });
});

test('a machine is born with the finalizer and what it remembers of its class, where a driver here serves that', () => {
  const born = (facts: object) => newMachine(view({ set: machineSet(), ...facts }), 'm').metadata;
  expect(born({ served: true, record: '{}' })).toMatchObject({
    finalizers: [FINALIZER],
    annotations: { [ANNOTATION_CLASS]: '{}' },
  });
  expect(born({ served: true }).annotations).toEqual({});
  expect(born({ served: false }).finalizers).toBeUndefined();
});

test('a machine is born with the record of what its VM will get, where a driver here updates that', () => {
  expect(newMachine(view({ hot: '{}' }), 'm').metadata.annotations).toEqual({
    'drover.dev/last-applied-provider-spec': '{}',
    'drover.dev/update-unfinished': 'true',
  });
});
