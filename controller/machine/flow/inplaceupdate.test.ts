import { describe, expect, test } from 'bun:test';
import { at, inPhase } from '../../../test/fixtures/objects.ts';
import { pod } from '../../drain/flow/view.fixture.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { inPlaceUpdated } from './inplaceupdate.ts';
import { behind } from './replacementbudget.ts';
import { type Case, NOW, seen } from './updating.fixture.ts';
import { recorded } from './view.fixture.ts';

const CANDIDATE = 'node.machine.sapcloud.io/candidate-for-update';
const SELECTED = 'node.machine.sapcloud.io/selected-for-update';
const RESULT = 'node.machine.sapcloud.io/update-result';
const candidate = { [CANDIDATE]: 'true' };
const selected = { ...candidate, [SELECTED]: 'true' };
const done = { ...selected, [RESULT]: 'successful' };
const broken = { ...selected, [RESULT]: 'failed' };

const GENTLY = `Node is being drained since ${at(60)}`;
const FORCED = `Node is being drained by force since ${at(60)}`;
const forced = { metadata: { ...recorded.metadata, labels: { node: 'm', 'force-drain': 'True' } } };
/** A cordoned Node that is to be emptied. */
const draining = (message: string): Case => ({
  labels: selected,
  reason: 'SelectedForUpdate',
  cordoned: true,
  message: message.replace(at(60), at(0)),
});

const judge = (one: Case): string => {
  const outcome = inPlaceUpdated(seen(one));
  if (outcome.kind === 'pass') return 'pass';
  if (outcome.kind !== 'act') return `${outcome.kind} ${outcome.reason}`;
  if (outcome.action.do !== 'changeNode') return outcome.reason;
  const { condition, unschedulable } = outcome.action.change;
  const cordon = unschedulable === undefined ? [] : [unschedulable ? 'cordon' : 'uncordon'];
  const says = condition && !('gone' in condition) && condition.message;
  const mark = condition && ('gone' in condition ? 'no condition' : condition.reason + (says ? `: ${says}` : ''));
  return [...cordon, ...(mark ? [mark] : [])].join(', ');
};
const phaseAfter = (one: Case) => {
  const seeing = seen(one);
  return statusOf(seeing, plan(seeing), at(60))?.currentStatus?.phase;
};

describe('an update in place (hack/spec/mcm.md 6.11)', () => {
  const rows: Array<[string, Case, string]> = [
    ['that nobody asks for', {}, 'pass'],
    ['candidate, no condition yet', { labels: candidate }, 'CandidateForUpdate'],
    [
      'candidate again, after an update before',
      { labels: candidate, reason: 'UpdateSuccessful' },
      'CandidateForUpdate',
    ],
    ['candidate, said', { labels: candidate, reason: 'CandidateForUpdate' }, 'pass'],
    ['selected', { labels: selected, reason: 'CandidateForUpdate' }, 'cordon, SelectedForUpdate'],
    ['selected by who does not wait for the condition', { labels: selected }, 'CandidateForUpdate'],
    ['selected without being a candidate', { labels: { [SELECTED]: 'true' } }, 'pass'],
    ['to be emptied', { labels: selected, reason: 'SelectedForUpdate' }, 'cordon'],
    [
      'about to be drained',
      { labels: selected, reason: 'SelectedForUpdate', cordoned: true },
      `SelectedForUpdate: ${GENTLY}`,
    ],
    ['about to be drained, lost for long', { ...draining(''), lost: true }, `SelectedForUpdate: ${FORCED}`],
    ['about to be drained by force', { ...draining(''), machine: forced }, `SelectedForUpdate: ${FORCED}`],
    ['drained, nothing known yet', draining(GENTLY), 'pass'],
    ['drained, a pod to go', { ...draining(GENTLY), pods: [pod('web')] }, 'EvictPods'],
    ['drained, a pod that goes', { ...draining(GENTLY), pods: [pod('web', { endsAt: NOW })] }, 'pass'],
    [
      'drained, by force from now on',
      { ...draining(GENTLY), pods: [pod('web')], machine: forced },
      `SelectedForUpdate: ${FORCED}`,
    ],
    ['drained by force', { ...draining(FORCED), pods: [pod('web')], deadline: NOW, machine: forced }, 'DeletePods'],
    [
      'drained by force in vain, again',
      { ...draining(FORCED), pods: [pod('web', { deleteAt: NOW })], deadline: NOW - 60_000 },
      `SelectedForUpdate: ${FORCED}`,
    ],
    ['emptied', { ...draining(GENTLY), pods: [] }, 'DrainSuccessful'],
    [
      'emptied, the phase does not say so yet',
      { labels: selected, reason: 'DrainSuccessful', cordoned: true },
      'wait InPlaceUpdating',
    ],
    [
      'emptied, and the phase says so',
      { labels: selected, reason: 'DrainSuccessful', phase: 'InPlaceUpdating', cordoned: true },
      'ReadyForUpdate',
    ],
    ['at work', { labels: selected, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating' }, 'wait InPlaceUpdating'],
    [
      'at work, its Node not ready',
      { labels: selected, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating', ready: false },
      'wait InPlaceUpdating',
    ],
    ['at work, its Node away', { phase: 'InPlaceUpdating', gone: true }, 'wait InPlaceUpdating'],
    ['done', { labels: done, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating' }, 'UpdateSuccessful'],
    [
      'done, and said',
      { labels: done, reason: 'UpdateSuccessful', phase: 'InPlaceUpdating' },
      'wait InPlaceUpdateSuccessful',
    ],
    [
      'done, and the phase says so',
      { labels: done, reason: 'UpdateSuccessful', phase: 'InPlaceUpdateSuccessful' },
      'pass',
    ],
    [
      'failed',
      { labels: broken, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating' },
      'UpdateFailed: the update in place failed',
    ],
    [
      'failed, and said',
      { labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdating' },
      'wait InPlaceUpdateFailed',
    ],
    [
      'failed for less than the health time-out',
      { labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdateFailed', since: 599 },
      'wait InPlaceUpdateFailed',
    ],
    [
      'failed for the health time-out',
      { labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdateFailed', since: 600 },
      'fail InPlaceUpdateAbandoned',
    ],
    [
      'failed for long, but machines are not given up',
      {
        labels: broken,
        reason: 'UpdateFailed',
        phase: 'InPlaceUpdateFailed',
        since: 9_999,
        machine: { spec: { ...recorded.spec, disableHealthTimeout: true } },
      },
      'wait InPlaceUpdateFailed',
    ],
    [
      'failed, then done after all',
      { labels: done, reason: 'UpdateFailed', phase: 'InPlaceUpdateFailed' },
      'UpdateSuccessful',
    ],
    [
      'done after all, and said',
      { labels: done, reason: 'UpdateSuccessful', phase: 'InPlaceUpdateFailed' },
      'wait InPlaceUpdateSuccessful',
    ],
    [
      'within its time-out',
      { labels: selected, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating', since: 1_199 },
      'wait InPlaceUpdating',
    ],
    [
      'past its time-out',
      { labels: selected, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating', since: 1_200 },
      'wait InPlaceUpdateTimedOut',
    ],
    [
      'past its time-out and the health time-out',
      { labels: selected, reason: 'ReadyForUpdate', phase: 'InPlaceUpdateFailed', since: 600 },
      'fail InPlaceUpdateAbandoned',
    ],
    [
      'given up, until somebody replaces the machine',
      {
        labels: selected,
        reason: 'ReadyForUpdate',
        phase: 'Failed',
        machine: { ...recorded, status: { lastOperation: { type: 'InPlaceUpdate' } } },
      },
      'fail InPlaceUpdateAbandoned',
    ],
    [
      'of a machine that failed in another way',
      { labels: selected, reason: 'ReadyForUpdate', phase: 'Failed' },
      'pass',
    ],
    ['taken back before its turn', { reason: 'CandidateForUpdate' }, 'no condition'],
    ['taken back while the Node is emptied', { reason: 'SelectedForUpdate', cordoned: true }, 'uncordon, no condition'],
    [
      'taken back when the Node is empty',
      { reason: 'DrainSuccessful', phase: 'InPlaceUpdating', cordoned: true },
      'uncordon, no condition',
    ],
    ['taken back, the phase not yet', { phase: 'InPlaceUpdating' }, 'pass'],
    ['taken back too late', { reason: 'ReadyForUpdate', phase: 'InPlaceUpdating' }, 'wait InPlaceUpdating'],
    ['that is over, its labels gone', { reason: 'UpdateSuccessful' }, 'pass'],
  ];
  test.each(rows)('%s', (_what, one, said) => {
    expect(judge(one)).toBe(said);
  });

  test('that failed for good waits while another of the deployment is replaced (hack/spec/mcm.md 6.6)', () => {
    const lost = { labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdateFailed', since: 600 };
    expect(inPlaceUpdated({ ...seen(lost), hold: behind('other') })).toMatchObject({
      kind: 'wait',
      reason: 'ReplacementDelayed',
    });
  });
});

describe('the phase', () => {
  test.each([
    [
      'is InPlaceUpdating before the agent may begin',
      { labels: selected, reason: 'DrainSuccessful', cordoned: true },
      'InPlaceUpdating',
    ],
    [
      'is InPlaceUpdateFailed when the agent says so',
      { labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdating' },
      'InPlaceUpdateFailed',
    ],
    [
      'is InPlaceUpdateFailed after the time-out',
      { labels: selected, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating', since: 1_200 },
      'InPlaceUpdateFailed',
    ],
    [
      'is InPlaceUpdateSuccessful at the end',
      { labels: done, reason: 'UpdateSuccessful', phase: 'InPlaceUpdating' },
      'InPlaceUpdateSuccessful',
    ],
    [
      'is Running after that',
      { labels: done, reason: 'UpdateSuccessful', phase: 'InPlaceUpdateSuccessful' },
      'Running',
    ],
    [
      'is Unknown after that while the Node is not ready',
      { reason: 'UpdateSuccessful', phase: 'InPlaceUpdateSuccessful', ready: false },
      'Unknown',
    ],
    [
      'is Failed when the update is given up',
      { labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdateFailed', since: 600 },
      'Failed',
    ],
    ['stays Running while the Node is a candidate', { labels: candidate, reason: 'CandidateForUpdate' }, 'Running'],
  ] as Array<[string, Case, string]>)('%s', (_what, one, phase) => {
    expect<string | undefined>(phaseAfter(one)).toBe(phase);
  });
});

test('people read what the agent says of a failure', () => {
  const reason = { 'node.machine.sapcloud.io/update-failed-reason': 'no such image' };
  const one = seen({ labels: broken, reason: 'UpdateFailed', phase: 'InPlaceUpdating', annotations: reason });
  expect(statusOf(one, plan(one), at(60))?.lastOperation).toMatchObject({
    type: 'InPlaceUpdate',
    state: 'Failed',
    description: 'the update in place failed: no such image',
  });
  const marking = inPlaceUpdated(seen({ labels: broken, reason: 'ReadyForUpdate', annotations: reason }));
  expect(marking).toMatchObject({
    action: { change: { condition: { message: 'the update in place failed: no such image' } } },
  });
});

test('the machine’s copy of the condition follows its reason', () => {
  const one = seen({ labels: candidate, reason: 'CandidateForUpdate' });
  const copy = { type: 'InPlaceUpdate', status: 'True', reason: 'UpdateSuccessful' };
  const machine = inPhase('Running', 0, {
    ...recorded,
    status: { conditions: [copy, { type: 'Ready', status: 'True' }] },
  });
  const status = statusOf({ ...one, machine }, plan({ ...one, machine }), at(60));
  expect(status?.conditions?.find(({ type }) => type === 'InPlaceUpdate')?.reason).toBe('CandidateForUpdate');
});
