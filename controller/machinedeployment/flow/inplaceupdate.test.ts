import { describe, expect, test } from 'bun:test';
import {
  done,
  type Herd,
  inPlaceView,
  type Stands,
  updatedInPlace,
  waiting,
  working,
} from './inplaceupdate.fixture.ts';
import { rolledInPlace, selection } from './inplaceupdate.ts';
import type { Sorted } from './view.ts';

const judge = (view: Sorted): string => {
  const outcome = rolledInPlace(view);
  if (outcome.kind === 'pass') return 'pass';
  if (outcome.kind !== 'act') return `${outcome.kind} ${outcome.reason}`;
  const { action, reason } = outcome;
  if (action.do === 'scale')
    return `${reason} ${action.scalings.map(({ set, replicas }) => `${set.metadata.name}=${replicas}`).join(' ')}`;
  const machines = action.do === 'markNodes' ? action.marks : action.do === 'patchMachines' ? action.patches : [];
  return [reason, ...machines.map(({ machine }) => machine.metadata.name)].join(' ');
};

const none: Herd = { machines: [] };
const old = (...machines: Stands[]): Herd => ({ machines, stopped: true });
const fresh = (...machines: Stands[]): Herd => ({ machines });
const [auto, surging, byHand] = [
  updatedInPlace(3),
  updatedInPlace(3, { maxSurge: 1, maxUnavailable: 0 }),
  updatedInPlace(3, { maxUnavailable: 1, orchestrationType: 'Manual' }),
];
const joining: Stands = { phase: 'Pending', nodeless: true };

describe('a rollout in place (hack/spec/mcm.md 4.7c)', () => {
  const rows: Array<[string, Sorted, string]> = [
    ['stops old sets from making machines', inPlaceView(auto, none, { machines: [{}, {}, {}] }), 'DisableScaleUp'],
    ['marks the Nodes of old machines', inPlaceView(auto, none, old({}, waiting, {})), 'LabelCandidates old-0 old-2'],
    [
      'marks no Node of a machine that leaves',
      inPlaceView(auto, none, old({ leaving: true }, waiting, waiting)),
      'wait RolloutInProgress',
    ],
    [
      'picks as many as may be missing',
      inPlaceView(auto, none, old(waiting, waiting, waiting)),
      'SelectMachines old-0',
    ],
    ['picks no more meanwhile', inPlaceView(auto, none, old(working, waiting, waiting)), 'wait RolloutInProgress'],
    [
      'picks none beside one that was lost',
      inPlaceView(auto, none, old({ ...waiting, phase: 'Unknown' }, waiting, waiting)),
      'wait RolloutInProgress',
    ],
    ['moves who is done', inPlaceView(auto, none, old(done, waiting, waiting)), 'TransferMachines old-0'],
    [
      'moves nobody before the phase says so',
      inPlaceView(auto, none, old({ ...done, phase: 'InPlaceUpdating' }, waiting, waiting)),
      'wait RolloutInProgress',
    ],
    [
      'moves nobody who failed',
      inPlaceView(auto, none, old({ ...done, result: 'failed', reason: 'UpdateFailed' }, waiting, waiting)),
      'wait RolloutInProgress',
    ],
    [
      'moves nobody who is paused',
      inPlaceView(auto, none, old({ ...done, paused: true }, waiting, waiting)),
      'wait RolloutInProgress',
    ],
    ['goes on with the next', inPlaceView(auto, fresh({}), old(waiting, waiting)), 'SelectMachines old-0'],
    ['replaces in the new set what is lost', inPlaceView(auto, fresh({}), old(waiting)), 'ScaleUpNewMachineSet new=2'],
    [
      'follows a scale-up',
      inPlaceView(updatedInPlace(5), fresh({}), old(waiting, waiting)),
      'ScaleUpNewMachineSet new=3',
    ],
    ['follows a scale-down', inPlaceView(updatedInPlace(1), fresh({}, {}), old(waiting)), 'ScaleUpNewMachineSet new=1'],
    [
      'makes machines above first',
      inPlaceView(surging, none, old(waiting, waiting, waiting)),
      'ScaleUpNewMachineSet new=1',
    ],
    [
      'waits for one above where none may be missing',
      inPlaceView(surging, fresh(joining), old(waiting, waiting, waiting)),
      'wait RolloutInProgress',
    ],
    [
      'does not wait for one above that never joins where one may be missing',
      inPlaceView(
        updatedInPlace(3, { maxSurge: 1, maxUnavailable: 1 }),
        fresh(joining),
        old(waiting, waiting, waiting),
      ),
      'SelectMachines old-0',
    ],
    [
      'moves who is done although one above never joins',
      inPlaceView(surging, fresh(joining), old(done, waiting, waiting)),
      'TransferMachines old-0',
    ],
    [
      'begins once it is there',
      inPlaceView(surging, fresh({}), old(waiting, waiting, waiting)),
      'SelectMachines old-0',
    ],
    [
      'takes away what is above',
      inPlaceView(surging, fresh({}, {}, {}), old(waiting)),
      'ScaleDownOldMachineSets old=0',
    ],
    [
      'but not while it is missed',
      inPlaceView(surging, fresh({}, {}, joining), old(waiting)),
      'wait RolloutInProgress',
    ],
    [
      'by hand: makes none above, and waits',
      inPlaceView(byHand, none, old(waiting, waiting, waiting)),
      'wait WaitingForSelection',
    ],
    ['by hand: moves who is done', inPlaceView(byHand, none, old(done, done, waiting)), 'TransferMachines old-0 old-1'],
    ['that has ended', inPlaceView(auto, fresh({}, {}, {}), { machines: [], wants: 0 }), 'pass'],
    [
      'without a target cluster',
      { ...inPlaceView(auto, none, old({}, {}, {})), nodes: undefined },
      'fail NoTargetCluster',
    ],
    [
      'without a target cluster, with nothing to update',
      { ...inPlaceView(auto, fresh({}, {}, {}), none), nodes: undefined },
      'pass',
    ],
  ];
  test.each(rows)('%s', (_what, view, said) => {
    expect(judge(view)).toBe(said);
  });
});

describe('the next machines', () => {
  const names = (view: Sorted) => selection(view).map(({ machine }) => machine.metadata.name);
  const two = updatedInPlace(4, { maxUnavailable: 2 });

  test('are the oldest', () => {
    const view = inPlaceView(
      two,
      none,
      old({ ...waiting, born: 3 }, { ...waiting, born: 1 }, { ...waiting, born: 2 }, { ...waiting, born: 9 }),
    );
    expect(names(view)).toEqual(['old-1', 'old-2']);
  });

  test('are picked one by one as others are done, not in batches', () => {
    expect(names(inPlaceView(two, fresh({}), old(working, waiting, waiting)))).toEqual(['old-1']);
  });

  test('are none that are being emptied, which count as missing already', () => {
    const emptying = { ...waiting, selected: true, reason: 'SelectedForUpdate' };
    expect(names(inPlaceView(two, none, old(emptying, emptying, waiting, waiting)))).toEqual([]);
  });

  test('are none that are paused, though they are there', () => {
    expect(names(inPlaceView(auto, none, old({ ...waiting, paused: true }, waiting, waiting)))).toEqual(['old-1']);
  });

  // hack/decisions/0051 U19
  test('are none while a machine of the new set is updated once more', () => {
    const again = { ...done, phase: 'Running', reason: 'CandidateForUpdate' };
    expect(names(inPlaceView(auto, fresh(again), old(waiting, waiting)))).toEqual([]);
  });

  test('are noted to be updated for the new set', () => {
    const [mark] = selection(inPlaceView(auto, none, old(waiting, waiting, waiting)));
    expect(mark?.change.annotations).toEqual({ 'drover.dev/update-for': 'uid-new' });
  });

  test('are no more than the new set has room for', () => {
    const all = updatedInPlace(3, { maxSurge: 1, maxUnavailable: 3 });
    expect(names(inPlaceView(all, fresh({}, {}), old(waiting, waiting)))).toEqual(['old-0']);
  });
});
