import { describe, expect, test } from 'bun:test';
import { machinesTransferred, transfers } from './inplacetransfer.ts';
import {
  done,
  type Herd,
  inPlaceView,
  type Stands,
  updatedInPlace,
  waiting,
  working,
} from './inplaceupdate.fixture.ts';
import { rolledInPlace } from './inplaceupdate.ts';
import type { Sorted } from './view.ts';

const auto = updatedInPlace(3);
const old = (...machines: Stands[]): Herd => ({ machines, stopped: true });
const arriving: Stands = { ...done, arriving: true };
const [CANDIDATE, SELECTED, RESULT] = ['candidate-for-update', 'selected-for-update', 'update-result'].map(
  (key) => `node.machine.sapcloud.io/${key}`,
) as [string, string, string];

const CORDONED = 'drover.dev/cordoned';

const judge = (view: Sorted): string => {
  const outcome = machinesTransferred(view);
  if (outcome.kind !== 'act') return outcome.kind;
  const { action, reason } = outcome;
  if (action.do === 'scale')
    return `${reason} ${action.scalings.map(({ set, replicas }) => `${set.metadata.name}=${replicas}`).join(' ')}`;
  const found = action.do === 'markNodes' ? action.marks : action.do === 'patchMachines' ? action.patches : [];
  return [reason, ...found.map(({ machine }) => machine.metadata.name)].join(' ');
};

describe('after a move (hack/spec/mcm.md 4.7c 4)', () => {
  const rows: Array<[string, Sorted, string]> = [
    ['nothing moved', inPlaceView(auto, { machines: [] }, old(waiting, waiting, waiting)), 'pass'],
    [
      'both sets count it',
      inPlaceView(auto, { wants: 0, machines: [arriving] }, { ...old(waiting, waiting), wants: 3 }),
      'SyncReplicas new=1 old=2',
    ],
    [
      'the process died in between',
      inPlaceView(auto, { wants: 1, machines: [arriving] }, { ...old(waiting, waiting), wants: 3 }),
      'SyncReplicas old=2',
    ],
    [
      'only who came makes the new set grow',
      inPlaceView(auto, { wants: 0, machines: [{}, arriving] }, old(waiting)),
      'SyncReplicas new=1',
    ],
    ['it is counted', inPlaceView(auto, { machines: [arriving] }, old(waiting, waiting)), 'RemoveTransferLabels new-0'],
    ['its Node is as before', inPlaceView(auto, { machines: [done] }, old(waiting, waiting)), 'CleanUpNodes new-0'],
    [
      'a machine that has not joined holds up nothing',
      inPlaceView(auto, { machines: [{ nodeless: true }, done] }, old(waiting)),
      'CleanUpNodes new-1',
    ],
    [
      'a machine of an old set went by itself',
      inPlaceView(auto, { machines: [] }, { ...old(waiting, waiting, { ...waiting, leaving: true }), wants: 3 }),
      'SyncReplicas old=2',
    ],
    [
      'an old set that still makes machines is left alone',
      inPlaceView(auto, { machines: [] }, { machines: [waiting], wants: 3 }),
      'pass',
    ],
    [
      'the template went back: no candidates',
      inPlaceView(auto, { machines: [waiting, {}] }, old()),
      'CleanUpNodes new-0',
    ],
    [
      'the template went back: not begun',
      inPlaceView(auto, { machines: [{ ...waiting, selected: true, reason: 'SelectedForUpdate' }] }, old()),
      'CleanUpNodes new-0',
    ],
    ['the template went back: an agent at work is let be', inPlaceView(auto, { machines: [working] }, old()), 'pass'],
    [
      'the template went back: a failure is let be',
      inPlaceView(auto, { machines: [{ ...working, result: 'failed', reason: 'UpdateFailed' }] }, old()),
      'pass',
    ],
  ];
  test.each(rows)('%s', (_what, view, said) => {
    expect(judge(view)).toBe(said);
  });
});

describe('the Node of a machine that is done', () => {
  const changeOf = (stands: Stands) => {
    const outcome = machinesTransferred(inPlaceView(auto, { machines: [stands] }, old()));
    return outcome.kind === 'act' && outcome.action.do === 'markNodes' ? outcome.action.marks[0]?.change : undefined;
  };

  test('loses labels and cordon', () => {
    expect(changeOf(done)).toEqual({
      labels: { [CANDIDATE]: null, [SELECTED]: null, [RESULT]: null },
      unschedulable: false,
    });
  });

  // hack/decisions/0028 O17
  test('keeps the cordon that somebody else had put on before; the note goes', () => {
    const { unschedulable, annotations } = changeOf({ ...done, annotations: { [CORDONED]: 'by-others' } }) ?? {};
    expect([unschedulable, annotations]).toEqual([undefined, { [CORDONED]: null }]);
  });

  test('loses our cordon with its note', () => {
    const { unschedulable, annotations } = changeOf({ ...done, annotations: { [CORDONED]: 'true' } }) ?? {};
    expect([unschedulable, annotations]).toEqual([false, { [CORDONED]: null }]);
  });

  test('waits for critical components where Gardener sees to them, and nowhere else', () => {
    const gardeners = changeOf({ ...done, labels: { 'worker.gardener.cloud/pool': 'a' } });
    expect(gardeners?.taints?.add).toEqual([
      { key: 'node.gardener.cloud/critical-components-not-ready', effect: 'NoSchedule' },
    ]);
  });
});

test('one write moves a machine: owner, labels, and the mark that protects it', () => {
  const view = inPlaceView(auto, { machines: [] }, old(done));
  const [patch] = transfers(view);
  const hash = view.newSet.set.metadata.labels?.['machine-template-hash'];
  expect(patch?.metadata).toMatchObject({
    uid: 'uid-old-0',
    resourceVersion: '1',
    labels: { pool: 'a', 'machine-template-hash': hash, [RESULT]: 'successful' },
    ownerReferences: [{ kind: 'MachineSet', name: 'new', uid: 'uid-new', controller: true }],
  });
});

test('a template that names a Node moves no claim (hack/decisions/0028 W4)', () => {
  const view = inPlaceView(auto, { machines: [] }, old(done));
  for (const { set } of [view.newSet, ...view.oldSets]) {
    Object.assign(set.spec?.template?.metadata?.labels ?? {}, { node: 'control-plane-1' });
  }
  expect(transfers(view)[0]?.metadata).not.toHaveProperty('labels.node');
});

// hack/decisions/0051 U19, L89
describe('an update that was begun for another template', () => {
  const FOR = 'drover.dev/update-for';
  const ours = { annotations: { [FOR]: 'uid-new' } };
  const others = { annotations: { [FOR]: 'uid-other' } };
  const again = { labels: { [RESULT]: null }, annotations: { [FOR]: 'uid-new' } };
  const ofNew = (stands: Stands) => {
    const outcome = machinesTransferred(inPlaceView(auto, { machines: [stands] }, old()));
    return outcome.kind === 'act' && outcome.action.do === 'markNodes' ? outcome.action.marks[0]?.change : outcome.kind;
  };
  const ofOld = (stands: Stands) => {
    const outcome = rolledInPlace(inPlaceView(auto, { machines: [] }, old(stands, waiting, waiting)));
    if (outcome.kind !== 'act') return outcome.kind;
    return outcome.action.do === 'markNodes' ? outcome.action.marks[0]?.change : outcome.reason;
  };

  const moved = (...stands: Stands[]) =>
    transfers(inPlaceView(auto, { machines: [] }, old(...stands))).map(({ machine }) => machine.metadata.name);
  const claims: Stands = { ...others, result: 'successful' };
  const drained: Stands = { ...waiting, selected: true, reason: 'DrainSuccessful' };

  test.each<[string, unknown, unknown]>([
    ['moves no machine, and is done again', ofOld({ ...done, ...others }), again],
    ['is done again after the template went back', ofNew({ ...done, ...others }), again],
    ['is let be while the agent is at work', ofOld({ ...working, ...others }), 'wait'],
    ['is let be so after the template went back, too', ofNew({ ...working, ...others }), 'pass'],
    [
      'is for this one while no agent was told to begin',
      ofOld({ ...waiting, selected: true, ...others }),
      { annotations: { [FOR]: 'uid-new' } },
    ],
    [
      'is for this one when somebody selects by hand',
      ofOld({ ...waiting, selected: true }),
      { annotations: { [FOR]: 'uid-new' } },
    ],
    ['moves a machine that it was begun for', ofOld({ ...done, ...ours }), 'TransferMachines'],
    ['moves one of which nothing is noted, as in MCM', ofOld(done), 'TransferMachines'],
    ['moves none beside others that it was begun for', moved({ ...done, ...others }, { ...done, ...ours }), ['old-1']],
    ['is let be once its pods have left', ofNew({ ...drained, ...others }), 'pass'],
    ['is let be where it failed', ofOld({ ...drained, reason: 'UpdateFailed', ...others }), 'wait'],
    ['or where its agent is at it again, whatever stands from before', ofOld({ ...working, ...claims }), 'wait'],
    ['or where its agent has said so', ofOld({ ...drained, result: 'failed', ...others }), 'wait'],
    ['goes on in the set that it was begun for', ofNew({ ...waiting, selected: true, ...ours }), 'pass'],
    [
      'leaves no note behind',
      ofNew({ ...done, ...ours }),
      {
        labels: { [CANDIDATE]: null, [SELECTED]: null, [RESULT]: null },
        annotations: { [FOR]: null },
        unschedulable: false,
      },
    ],
    [
      'leaves none behind when it is not begun',
      ofNew({ ...waiting, selected: true, ...others }),
      { labels: { [CANDIDATE]: null, [SELECTED]: null }, annotations: { [FOR]: null } },
    ],
  ])('%s', (_what, change, wanted) => expect(change).toEqual(wanted));
});
