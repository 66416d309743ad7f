import { expect, test } from 'bun:test';
import { at, machine } from '../../test/fixtures/objects.ts';
import { drain } from '../drain/view.fixture.ts';
import { type Decision, reasonOf } from '../flow.ts';
import { plan } from './reconcile.ts';
import { idle, readyNode, view, vm } from './view.fixture.ts';
import type { MachineAction, MachineView } from './view.ts';

const leaver = (spec: object = { providerID: vm.providerID }) =>
  machine({
    metadata: { labels: { node: 'm' }, deletionTimestamp: at(1) },
    spec: { ...spec, deletionPolicy: 'Retain' },
  });

const said = (decision: Decision<MachineAction>): string =>
  `${decision.step} ${decision.outcome.kind} ${reasonOf(decision)}`;

const marked = { ...idle, retained: true as const };
const failing = (permanent: boolean) => ({
  ...idle,
  failure: {
    method: 'retainMachine' as const,
    code: 'Unimplemented' as const,
    message: 'no',
    retryAt: 1e15,
    permanent,
  },
});

test.each<[string, Partial<MachineView>, string]>([
  ['is marked first', {}, 'VmRetained act RetainVm'],
  ['is not drained, nor is its Node deleted', { calls: marked, drain: drain() }, 'Released act RemoveFinalizer'],
  ['is neither left nor deleted while it cannot be marked', { calls: failing(true) }, 'VmRetained fail Unimplemented'],
  ['is marked once the driver answers again', { calls: failing(false) }, 'VmRetained wait Unimplemented'],
  [
    'is marked once another call has ended',
    { calls: { ...idle, flying: { method: 'initializeMachine', since: 0 } } },
    'VmRetained act CancelCall',
  ],
  ['is marked with its class', { class: { at: 'missing', name: 'small' } }, 'VmRetained wait ClassNotFound'],
  ['that is gone by itself leaves its Node', { vm: { at: 'absent', since: 0 } }, 'NodeDeleted act DeleteNode'],
  [
    'that is gone by itself is not deleted: its disks may be what is to stay',
    { vm: { at: 'absent', since: 0 }, node: { at: 'absent' } },
    'Released act RemoveFinalizer',
  ],
  [
    'that is not on record is deleted: it served nobody yet (MCM 13.4)',
    { machine: leaver({}), node: { at: 'absent' } },
    'VmDeleted act DeleteVm',
  ],
])('a VM that is to stay %s (decisions 7)', (_what, facts, expected) => {
  expect(said(plan(view({ machine: leaver(), node: readyNode, ...facts })))).toBe(expected);
});
