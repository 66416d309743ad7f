import { describe, expect, test } from 'bun:test';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { judge as judgeLeaver } from './drain.fixture.ts';
import { readmission, withdrawal } from './drain.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';

const CORDONED = 'drover.dev/cordoned';
const ready = { type: 'Ready', status: 'True' } as const;
const leaving = { type: 'Terminating', status: 'True', reason: 'ScaleDown' } as const;
const told = { status: { conditions: [ready, leaving] } };
const cordon = { spec: { unschedulable: true } };
const record = { metadata: { annotations: { [CORDONED]: 'true' } } };
const theirs = { type: 'Terminating', status: 'True', reason: 'SpotInterruption' };
const CANDIDATE = 'node.machine.sapcloud.io/candidate-for-update';
const leaves = { reason: 'ScaleDown', now: at(9), byForce: false } as const;
const gone = { type: 'Terminating', gone: true };

describe('the Node of a machine that leaves', () => {
  test('is cordoned, which is noted, and tells why', () => {
    expect(withdrawal(node(), { ...leaves, reason: 'ScaleDown' })).toMatchObject({
      unschedulable: true,
      annotations: { [CORDONED]: 'true' },
      condition: { type: 'Terminating', status: 'True', reason: 'ScaleDown' },
    });
  });

  test('that somebody else has cordoned tells why alone', () => {
    expect(withdrawal(node(cordon), { ...leaves, reason: 'Unhealthy' })).toEqual({
      condition: expect.objectContaining(leavingFor('Unhealthy')),
    });
    expect(withdrawal(node({ ...cordon, ...told }), { ...leaves, reason: 'Unhealthy' })).toBeUndefined();
  });

  test('is cordoned by force as it is, and whoever changes it meanwhile: that is not noted (0028 O18)', () => {
    const change = withdrawal(node(), { ...leaves, byForce: true });
    expect(change).toMatchObject({ unschedulable: true });
    expect(change).not.toHaveProperty('annotations');
  });

  const leavingFor = (reason: string) => ({ type: 'Terminating', status: 'True', reason });
});

// hack/decisions/0028 O14
describe('the Node of a machine that lives again', () => {
  test.each([
    [
      'loses cordon and condition if they are ours',
      { ...cordon, ...told, ...record },
      { unschedulable: false, annotations: { [CORDONED]: null }, condition: gone },
    ],
    ['keeps the cordon of somebody else', { ...cordon, ...told }, { condition: gone }],
    ['loses our note if somebody has uncordoned it', { ...record }, { annotations: { [CORDONED]: null } }],
    ['stays cordoned for whatever reason but that', cordon, undefined],
    ['keeps a condition that somebody else wrote (0028 O18)', { status: { conditions: [theirs] } }, undefined],
    [
      'and loses our cordon all the same',
      { ...cordon, ...record, status: { conditions: [theirs] } },
      { unschedulable: false, annotations: { [CORDONED]: null } },
    ],
    [
      'stays cordoned while it is updated in place (0028 O17)',
      { ...cordon, metadata: { ...record.metadata, labels: { [CANDIDATE]: 'true' } }, ...told },
      { condition: gone },
    ],
    [
      'stays so while an agent is at it',
      {
        ...cordon,
        ...record,
        status: { conditions: [{ type: 'InPlaceUpdate', status: 'True', reason: 'ReadyForUpdate' }] },
      },
      undefined,
    ],
    [
      'takes pods again after an update whose labels somebody took off',
      {
        ...cordon,
        ...record,
        status: { conditions: [{ type: 'InPlaceUpdate', status: 'True', reason: 'UpdateSuccessful' }] },
      },
      { unschedulable: false, annotations: { [CORDONED]: null } },
    ],
    [
      'keeps the cordon that somebody else had before an update',
      { ...cordon, metadata: { annotations: { [CORDONED]: 'by-others' } } },
      { annotations: { [CORDONED]: null } },
    ],
    [
      'keeps a condition that says no longer that it leaves',
      { status: { conditions: [{ ...leaving, status: 'False' }] } },
      undefined,
    ],
    ['is left alone otherwise', {}, undefined],
  ])('%s', (_what, has, change) => expect(readmission(node(has))).toEqual(change as never));

  test('takes pods again, however long it lives; that of one that leaves does not', () => {
    const there = { ...readyNode, object: node({ ...cordon, ...told, ...record }) };
    const known = { vm, node: there, calls: { ...idle, askedAt: Date.parse(at(60)) } };
    expect(plan(view({ ...known, machine: machine(recorded) }))).toMatchObject({
      step: 'NodeSynced',
      outcome: { kind: 'act', reason: 'UncordonNode' },
    });
    expect(judgeLeaver({ node: there })[1]).not.toContain('UncordonNode');
    const others = { ...there, ours: false };
    expect(plan(view({ ...known, node: others, machine: machine(recorded) })).outcome).not.toMatchObject({
      reason: 'UncordonNode',
    });
  });

  test('is synced first: who writes the condition again and again holds up no label (0028 O18)', () => {
    const there = { ...readyNode, object: node({ ...cordon, ...told, ...record }) };
    const known = { vm, node: there, calls: { ...idle, askedAt: Date.parse(at(60)) } };
    const spec = { ...recorded.spec, nodeTemplate: { metadata: { labels: { pool: 'a' } } } };
    expect(plan(view({ ...known, machine: machine({ ...recorded, spec }) })).outcome).toMatchObject({
      reason: 'SyncNode',
    });
  });
});
