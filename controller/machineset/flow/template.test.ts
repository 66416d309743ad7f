import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS, FINALIZER } from '../../../schemas/keys.ts';
import { at, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { newMachine, propagation } from './template.ts';
import { view } from './view.fixture.ts';

const inline = (providerSpec: object) => ({ class: undefined, provider: 'virtual', providerSpec });
const machineOf = (providerSpec: object) => inPhase('Running', 0, { spec: inline(providerSpec) });
const setOf = (providerSpec: object) => machineSet({ spec: { template: { spec: inline(providerSpec) } } });

test.each([
  ['a hot field', { tags: { a: '1' } }, { tags: { a: '2' } }, { spec: { providerSpec: { tags: { a: '2' } } } }],
  ['a hot field that is gone', { tags: { a: '1' } }, {}, { spec: { providerSpec: { tags: null } } }],
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

// hack/decisions/0051 S11, C1: a deletionPolicy that was to save VMs deleted them.
describe('settings of a template', () => {
  const RECORD = 'drover.dev/last-applied-settings';
  const saying = (spec: object) => machineSet({ spec: { template: { spec } } });
  const retain = { deletionPolicy: 'Retain' } as const;
  const record = '{"deletionPolicy":"Retain"}';

  test.each([
    ['a machine that runs', inPhase('Running')],
    ['one that leaves', inPhase('Terminating', 0, { metadata: { deletionTimestamp: at(5) } })],
    ['one that Failed', inPhase('Failed')],
  ])('reach %s', (_what, machine) => {
    expect<unknown>(propagation(saying(retain), machine)).toEqual({
      spec: retain,
      metadata: { annotations: { [RECORD]: record } },
    });
  });

  test('are no news to a machine that was made with them', () => {
    const set = saying({ ...retain, powerOffMode: 'TrySoft' });
    const made = newMachine(view({ set }), 'm');
    expect(made.metadata.annotations?.[RECORD]).toBe(record);
    expect(propagation(set, made)).toBeUndefined();
  });

  test.each([
    ['that nobody gave it', {}, {}, undefined],
    ['while the template stays', retain, { [RECORD]: record }, undefined],
    ['until the template says something else', {}, { [RECORD]: record }, 'Delete'],
  ])('leave alone what a machine has by hand, %s', (_what, template, annotations, becomes) => {
    const machine = inPhase('Running', 0, { metadata: { annotations }, spec: { ...retain, powerState: 'Suspended' } });
    const patch = propagation(saying(template), machine);
    expect<unknown>(patch).toEqual(
      becomes && { spec: { deletionPolicy: becomes }, metadata: { annotations: { [RECORD]: null } } },
    );
  });

  test('go where the template takes them back', () => {
    const given = { metadata: { annotations: { [RECORD]: '{"powerState":"PoweredOff"}' } } };
    const machine = inPhase('Running', 0, { ...given, spec: { powerState: 'PoweredOff' } });
    expect<unknown>(propagation(saying({}), machine)).toEqual({
      spec: { powerState: null },
      metadata: { annotations: { [RECORD]: null } },
    });
  });

  test('that are recorded in words that nobody can read are given once more', () => {
    const machine = inPhase('Running', 0, { metadata: { annotations: { [RECORD]: '{' } }, spec: retain });
    expect<unknown>(propagation(saying(retain), machine)).toEqual({ metadata: { annotations: { [RECORD]: record } } });
  });
});

test('a new machine tells an autoscaler of which deployment it is (hack/spec/cluster-api.md E3.5)', () => {
  const labels = { 'cluster.x-k8s.io/deployment-name': 'pool', other: 'x' };
  expect(newMachine(view({ set: machineSet({ metadata: { labels } }) }), 'm').metadata.labels).toEqual({
    pool: 'a',
    'cluster.x-k8s.io/deployment-name': 'pool',
  });
});

// hack/decisions/0051 U1
test('a new machine tells an autoscaler of which Cluster it is, as the set does and not as the template says', () => {
  const set = machineSet({
    metadata: { labels: { 'cluster.k8s.io/cluster-name': 'west' } },
    spec: {
      template: {
        metadata: { labels: { 'cluster.k8s.io/cluster-name': 'west', 'machine.sapcloud.io/cluster-name': 'other' } },
      },
    },
  });
  expect(newMachine(view({ set }), 'm').metadata.labels).toMatchObject({ 'machine.sapcloud.io/cluster-name': 'west' });
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

// hack/decisions/0051 U16 (hack/spec/mcm.md 5.4)
describe('finalizers of a template', () => {
  const held = (finalizers: string[]) => machineSet({ spec: { template: { metadata: { finalizers } } } });
  const born = (set: ReturnType<typeof machineSet>, served: boolean) =>
    newMachine(view({ set, served }), 'm').metadata.finalizers;

  test.each<[string, string[], boolean, string[] | undefined]>([
    ['a machine is born with', ['example.com/inventory'], false, ['example.com/inventory']],
    ['stand before ours', ['example.com/inventory'], true, ['example.com/inventory', FINALIZER]],
    ['may be ours, and that is there once', [FINALIZER], true, [FINALIZER]],
    ['may be none', [], false, undefined],
  ])('%s', (_what, finalizers, served, has) => expect(born(held(finalizers), served)).toEqual(has));
});

// hack/decisions/0051 U17 (hack/spec/mcm.md 5.3)
describe("the kind of a template's class", () => {
  const naming = (named: object) => machineSet({ spec: { template: { spec: { class: named } } } });
  const of = (phase: string, named: object) => inPhase(phase, 0, { spec: { class: named } });
  const [good, old] = [
    { kind: 'MachineClass', name: 'small' },
    { kind: 'AWSMachineClass', name: 'small' },
  ];
  const mended = { spec: { class: { kind: 'MachineClass' } } };

  test.each<[string, object, object | undefined]>([
    ['reaches a machine that runs', of('Running', old), mended],
    ['reaches one that Failed', of('Failed', old), mended],
    ['reaches one of another class, as one that was updated in place is', of('Running', { ...old, name: 'b' }), mended],
    ['is no news to who has it', of('Running', good), undefined],
    ['is nothing to who has no class', inPhase('Running', 0, { spec: inline({}) }), undefined],
  ])('%s', (_what, machine, patch) =>
    expect<unknown>(propagation(naming(good), machine as ReturnType<typeof of>)).toEqual(patch),
  );

  test.each([
    ['says nothing of it', { kind: undefined, name: 'small' }],
    ['has one that the API server would refuse', old],
  ])('stays where the template %s', (_what, template) =>
    expect(propagation(naming(template), of('Running', good))).toBeUndefined(),
  );
});

test('a machine is born with the creation time-out that its set carries', () => {
  const key = 'node.machine.sapcloud.io/effective-creation-timeout';
  const born = (annotations: Record<string, string>) =>
    newMachine(view({ set: machineSet({ metadata: { annotations } }) }), 'm').metadata.annotations?.[key];
  expect([born({ [key]: '5m' }), born({})]).toEqual(['5m', undefined]);
});
