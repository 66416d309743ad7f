import { expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { at, BORN, inPhase, machineDeployment, machineSet } from '../../../test/fixtures/objects.ts';
import { isVictim } from '../../model/machine.ts';
import { plan } from './flow.ts';
import { victimsUntil } from './scaledown.ts';
import { view } from './view.fixture.ts';

const SCALED = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const setOf = (annotations: Record<string, string>) => machineSet({ metadata: { annotations } });
const pool = machineDeployment({ spec: { replicas: 2 } });
const marked = (name: string, time: string, priority = '1') =>
  inPhase('Running', 0, {
    metadata: {
      name,
      annotations: {
        'machinepriority.machine.sapcloud.io': priority,
        'machine.sapcloud.io/marked-for-deletion-time': time,
      },
    },
  });
const until = BORN + 20_000;

test.each([
  ['that no scaler has scaled', setOf({ [DESIRED]: '2' }), pool, Number.NaN],
  ['that follows its deployment', setOf({ [DESIRED]: '2', [SCALED]: at(20) }), pool, until],
  ['that has yet to follow it', setOf({ [DESIRED]: '3', [SCALED]: at(20) }), pool, Number.NaN],
  ['of no deployment', setOf({ [SCALED]: at(20) }), undefined, until],
  ['with a time that is none', setOf({ [SCALED]: 'soon' }), undefined, Number.NaN],
] as const)('a set %s: up to when machines go', (_what, set, deployment, moment) => {
  expect(victimsUntil(set, deployment)).toBe(moment);
});

test.each([
  ['marked before', marked('a', at(10)), true],
  ['marked at that moment', marked('a', at(20)), true],
  ['marked later', marked('a', at(21)), false],
  ['of another priority', marked('a', at(10), '3'), false],
  ['that nobody marked', inPhase('Running'), false],
] as const)('a machine %s (hack/spec/mcm.md 4.11)', (_what, machine, goes) => {
  expect([isVictim(machine, until), isVictim(machine, Number.NaN)]).toEqual([goes, false]);
});

test('a marked machine goes although the number is right (hack/spec/mcm.md 5.4)', () => {
  const machines = [marked('a', at(10)), inPhase('Running', 0, { metadata: { name: 'b' } }), marked('c', at(30))];
  const { outcome } = plan(view({ machines, victimsUntil: until }));
  expect(outcome).toMatchObject({ action: { do: 'delete', machines: [{ metadata: { name: 'a' } }] } });
});

/** Kept for some hours, as a person asked. */
const kept = (machine: Machine): Machine => ({
  ...machine,
  metadata: { ...machine.metadata, annotations: { ...machine.metadata.annotations, ...PRESERVE } },
  status: { ...machine.status, currentStatus: { ...machine.status?.currentStatus, preserveExpiryTime: at(300_000) } },
});
const PRESERVE = { 'node.machine.sapcloud.io/preserve': 'now' };
const inUse = ['b', 'c'].map((name) => inPhase('Running', 0, { metadata: { name, creationTimestamp: at(-9) } }));
const byClusterApi = { annotations: { 'machine.sapcloud.io/delete-machine': 'now' } };
const failed = inPhase('Failed', 0, {
  metadata: { name: 'a', annotations: marked('a', at(10)).metadata.annotations ?? {} },
});

test.each([
  ['runs', kept(marked('a', at(10))), until],
  ['is Failed', kept(failed), until],
  ['is of an older template: its set knows of no scaler', kept(marked('a', at(10))), Number.NaN],
  ['runs, by Cluster API', kept(inPhase('Running', 0, { metadata: { name: 'a', ...byClusterApi } })), Number.NaN],
  ['is Failed, by Cluster API', kept(inPhase('Failed', 0, { metadata: { name: 'a', ...byClusterApi } })), Number.NaN],
] as const)(
  'a scale-down that names a preserved machine takes it, and no other: one that %s (0051 U20, U21)',
  (_what, named, victimsUntil) => {
    const set = machineSet({ spec: { replicas: 2 } });
    const { outcome } = plan(view({ set, machines: [named, ...inUse], victimsUntil }));
    const gone = outcome.kind === 'act' && outcome.action.do === 'delete' ? outcome.action.machines : [];
    expect(gone.map(({ metadata }) => metadata.name)).toEqual(['a']);
  },
);

test('more machines too many than are named go in their order, beside those', () => {
  const set = machineSet({ spec: { replicas: 1 } });
  const { outcome } = plan(view({ set, machines: [kept(marked('a', at(10))), ...inUse], victimsUntil: until }));
  const gone = outcome.kind === 'act' && outcome.action.do === 'delete' ? outcome.action.machines : [];
  expect(gone.map(({ metadata }) => metadata.name).sort()).toEqual(['a', 'b']);
});
