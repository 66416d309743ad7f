import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { pass, type Step, wait } from '../../flow/flow.ts';
import { gated } from '../../safety/outage/gate.ts';
import { deletionSteps, liveSteps } from './flow.ts';
import { gating } from './gating.ts';
import type { Reason } from './reasons.ts';
import { stepsBehind, traitsOf } from './steptraits.ts';
import { view } from './view.fixture.ts';
import type { MachineAction, MachineView } from './view.ts';
import { standsBack, unlessRefused } from './writefailures.ts';

const steps = [...new Set([...Object.keys(liveSteps), ...Object.keys(deletionSteps)])];

// hack/decisions/0051 S28: a step of which the lists beside the flows knew nothing ran out of time in an outage.
test('of each step of a Machine it is said whether its refused write holds up others, and whether it has a time-out', () => {
  expect(steps.filter((name) => traitsOf(name) === undefined)).toEqual([]);
  expect(traitsOf('Reconciled')).toBeUndefined();
});

test('what comes after a step follows the flow', () => {
  const names = Object.keys(deletionSteps);
  expect(stepsBehind('Drained')).toEqual(names.slice(names.indexOf('Drained') + 1));
});

// hack/decisions/0051 L87: what a step is said to be like is what happens when its write is refused, and in an outage.
describe('of all steps', () => {
  const action: MachineAction = { do: 'annotate', annotations: {} };
  /** Those that have nothing to do, or not yet, until the write is tried again. */
  const passed = [
    'PreservationApplied',
    'VMUpToDate',
    'DeletionNotRequested',
    'InPlaceUpdated',
    'StartupTaintRemoved',
    'NodeDeleted',
  ];
  /** Those that go on without it: a drain is not held up by a cordon that is refused, nor a pause by a status. */
  const others = [
    'Paused',
    'ClassRecorded',
    'VMClaimed',
    'NodeSynced',
    'Drained',
    'VolumesDetached',
    'VolumesReleased',
  ];

  test('those alone hold up nothing while a write of theirs is refused that only write, or that know how to go on', () => {
    const attempt = { action, isByPolicy: true, judgedMs: 0 };
    const back = steps.filter((step) => standsBack(view(), { step, ...attempt }));
    expect(back.toSorted()).toEqual([...passed, ...others].toSorted());
  });

  test('those alone are passed over then that only write', () => {
    const refused = new Map(steps.map((step) => [step, { message: 'no', retryAt: Infinity }]));
    const waits: Step<MachineView, MachineAction, Reason> = () => wait('FinalizerMissing', Infinity);
    const flow = unlessRefused(Object.fromEntries(steps.map((step) => [step, waits])));
    const left = Object.entries(flow).filter(([, step]) => step(view({ refused })).kind === pass.kind);
    expect(left.map(([step]) => step).toSorted()).toEqual(passed.toSorted());
  });

  test('those alone are held in an outage, while they wait, that have a time-out', () => {
    const gate = { judgesFrom: 0, shut: { unreachable: 'target', since: 0 } } as const;
    const seen = view({ gate, machine: machine({ metadata: { deletionTimestamp: at(30) } }) });
    const held = steps.filter(
      (step) => gated({ step, outcome: wait('FinalizerMissing', 1) }, seen, gating).held !== undefined,
    );
    const timed = ['NodeRegistered', 'InPlaceUpdated', 'NodeHealthy', 'Drained', 'VolumesDetached', 'VolumesReleased'];
    expect(held.toSorted()).toEqual(timed.toSorted());
  });
});
