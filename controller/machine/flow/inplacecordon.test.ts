import { describe, expect, test } from 'bun:test';
import type { NodeChange } from '../../nodes/change.ts';
import { inPlaceUpdated } from './inplaceupdate.ts';
import { type Case, seen } from './updating.fixture.ts';

// hack/decisions/0028 O17

const CORDONED = 'drover.dev/cordoned';
const ours = { annotations: { [CORDONED]: 'true' } };
const theirs = { annotations: { [CORDONED]: 'by-others' } };
const unnoted = { [CORDONED]: null };
const PREFIX = 'node.machine.sapcloud.io';
const selected = { labels: { [`${PREFIX}/candidate-for-update`]: 'true', [`${PREFIX}/selected-for-update`]: 'true' } };
const selecting = { ...selected, reason: 'CandidateForUpdate' };
const emptying = { ...selected, reason: 'SelectedForUpdate' };
const cordoned = true;

/** What is done about the Node's cordon. */
function cordonOf(one: Case): Pick<NodeChange, 'unschedulable' | 'annotations'> {
  const outcome = inPlaceUpdated(seen(one));
  if (outcome.kind !== 'act' || outcome.action.do !== 'changeNode') return {};
  const { unschedulable, annotations } = outcome.action.change;
  return { ...(unschedulable !== undefined && { unschedulable }), ...(annotations && { annotations }) };
}

const [CORDON, UNCORDON] = [
  { unschedulable: true, ...ours },
  { unschedulable: false, annotations: unnoted },
];

describe('a Node that is to be updated in place', () => {
  test.each<[string, Case, object]>([
    ['is cordoned as it is selected, which is noted', selecting, CORDON],
    ['keeps the cordon of somebody else, which is noted, too', { ...selecting, cordoned }, theirs],
    ['is noted once', { ...selecting, ...ours, cordoned }, {}],
    ['is cordoned anew if somebody took that off', emptying, CORDON],
    ['is cordoned by us if somebody took his own cordon off', { ...emptying, ...theirs }, CORDON],
    ['is taken as it is if MCM has cordoned it, which notes nothing', { ...emptying, cordoned }, {}],
  ])('%s', (_what, one, done) => expect(cordonOf(one)).toEqual(done));
});

describe('a Node that is not to be updated after all', () => {
  const [candidate, left, empty] = ['CandidateForUpdate', 'SelectedForUpdate', 'DrainSuccessful'].map((reason) => ({
    reason,
    cordoned,
  })) as [Case, Case, Case];
  test.each<[string, Case, object]>([
    ['loses our cordon', { ...left, ...ours }, UNCORDON],
    ['loses it when it is empty', { ...empty, ...ours }, UNCORDON],
    ['loses it when nothing else is said yet', { ...candidate, ...ours }, UNCORDON],
    ['loses that of MCM, which notes nothing', left, { unschedulable: false }],
    ['keeps what nobody noted before it was selected', candidate, {}],
    ['keeps that of somebody else', { ...left, ...theirs }, { annotations: unnoted }],
    ['keeps that when it is empty', { ...empty, ...theirs }, { annotations: unnoted }],
  ])('%s', (_what, one, done) => expect(cordonOf(one)).toEqual(done));
});
