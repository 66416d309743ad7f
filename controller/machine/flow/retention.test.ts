import { expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { drain } from '../../drain/flow/view.fixture.ts';
import { type Decision, reasonOf } from '../../flow/flow.ts';
import { plan } from './flow.ts';
import { idle, readyNode, view, vm } from './view.fixture.ts';
import type { MachineAction, MachineView } from './view.ts';

const NOW = view().now;

const leaver = (spec: object = { providerID: vm.providerID }) =>
  machine({
    metadata: { labels: { node: 'm' }, deletionTimestamp: at(1) },
    spec: { ...spec, deletionPolicy: 'Retain' },
  });

const forced = machine({
  metadata: { labels: { node: 'm', 'force-deletion': 'True' }, deletionTimestamp: at(1) },
  spec: { providerID: vm.providerID, deletionPolicy: 'Retain' },
});

/** Since so many seconds, and asked again just now, or a minute ago if that is long. */
const denied = (seconds: number): Pick<MachineView, 'vm' | 'calls'> => ({
  vm: { at: 'absent', since: NOW - seconds * 1_000 },
  calls: { ...idle, known: true, askedAt: seconds > 300 ? NOW - 60_000 : NOW },
});
const down = { node: { ...readyNode, ready: false } } as const;
const seen = { node: { ...readyNode, heard: {} } } as const;
const beats = { node: { ...readyNode, heard: { livedAt: NOW - 30_000 } } } as const;
const young = { node: { at: 'absent' }, limits: { ...view().limits, vmYouth: 600_000 } } as const;

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
  ['is marked first', {}, 'VMRetained act RetainVM'],
  [
    'is not drained, nor is its Node deleted',
    { calls: marked, drain: drain() },
    'FinalizerRemoved act RemoveFinalizer',
  ],
  ['is neither left nor deleted while it cannot be marked', { calls: failing(true) }, 'VMRetained fail Unimplemented'],
  ['is marked once the driver answers again', { calls: failing(false) }, 'VMRetained wait Unimplemented'],
  [
    'is marked once another call has ended',
    { calls: { ...idle, inFlight: { method: 'initializeMachine', since: 0 } } },
    'VMRetained act CancelDriverCall',
  ],
  ['is marked with its class', { class: { at: 'missing', name: 'small' } }, 'VMRetained wait ClassNotFound'],
  ['that is denied once is asked about again', denied(1), 'VMRetained wait NotFound'],
  ['that is denied again is gone, and its Node goes', { ...denied(11), ...down }, 'NodeDeleted act DeleteNode'],
  ['that is denied may live as long as its Node is Ready', { ...denied(11), ...seen }, 'VMRetained wait NotFound'],
  [
    'that is denied for a minute leaves a Node that is Ready',
    { ...denied(61), ...seen },
    'FinalizerRemoved act RemoveFinalizer',
  ],
  [
    'that is denied lives where the Lease of its Node is renewed',
    { ...denied(600), ...beats },
    'VMRetained act RetainVM',
  ],
  ['that is denied may only not be told of yet', { ...denied(11), ...young }, 'VMRetained wait NotFound'],
  ['that is denied once is gone by force', { ...denied(1), ...down, machine: forced }, 'NodeDeleted act DeleteNode'],
  [
    'that is gone by itself is not deleted: its disks may be what is to stay',
    { ...denied(11), node: { at: 'absent' } },
    'FinalizerRemoved act RemoveFinalizer',
  ],
  [
    'that is not on record is deleted: it served nobody yet (hack/spec/mcm.md 13.4)',
    { machine: leaver({}), node: { at: 'absent' } },
    'VMDeleted act DeleteVM',
  ],
])('a VM that is to stay %s (hack/decisions/0000 7; hack/decisions/0051 L65)', (_what, facts, expected) => {
  expect(said(plan(view({ machine: leaver(), node: readyNode, ...facts })))).toBe(expected);
});
