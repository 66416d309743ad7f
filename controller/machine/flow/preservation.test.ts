import { describe, expect, test } from 'bun:test';
import { at, BORN } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import {
  APPLIED,
  BY_US,
  type Case,
  KEY,
  LATER,
  NOW,
  PAST,
  SCALE_DOWN_DISABLED,
  seen,
  TAINT,
} from './preservation.fixture.ts';
import { preservationApplied, preservationLeft } from './preservation.ts';
import { idle } from './view.fixture.ts';

const judge = (one: Case): string => {
  const outcome = preservationApplied(seen(one));
  return outcome.kind === 'act' ? outcome.reason : outcome.kind;
};
/** The expiry that a status written in this pass shows. */
const expiry = (one: Case, phase = one.phase ?? 'Running'): string | undefined => {
  const seeing = seen(one);
  const status = statusOf(seeing, { step: 'Reconciled', outcome: { kind: 'pass' } }, at(60));
  const current = phase === 'Running' ? status : statusOf(seeing, failed, at(60));
  return current?.currentStatus?.preserveExpiryTime ?? undefined;
};
const failed = { step: 'NodeHealthy', outcome: { kind: 'fail', reason: 'HealthTimedOut', message: '' } } as const;

describe('the table of preservation (hack/spec/mcm.md 6.12)', () => {
  const rows: Array<[string, Case, act: string, expiry: string | undefined]> = [
    ['no wish, nothing begun', {}, 'pass', undefined],
    ['no wish, begun', { expiry: LATER }, 'pass', undefined],
    ['false', { own: { [KEY]: 'false' }, expiry: LATER }, 'pass', undefined],
    ['when-failed, not Failed', { own: { [KEY]: 'when-failed' }, expiry: LATER }, 'pass', undefined],
    ['when-failed, Failed', { own: { [KEY]: 'when-failed' }, phase: 'Failed' }, 'pass', at(60 + 345_600)],
    [
      'when-failed, Failed, begun',
      { own: { [KEY]: 'when-failed' }, phase: 'Failed', expiry: LATER },
      'PreserveNode',
      LATER,
    ],
    ['when-failed, expired', { own: { [KEY]: 'when-failed' }, expiry: PAST }, 'RemovePreserveAnnotations', PAST],
    ['now, not Failed', { own: { [KEY]: 'now' } }, 'pass', at(60 + 345_600)],
    ['now, not Failed, begun', { own: { [KEY]: 'now' }, expiry: LATER }, 'PreserveNode', LATER],
    ['now, expired', { own: { [KEY]: 'now' }, expiry: PAST }, 'RemovePreserveAnnotations', PAST],
    ['now, expired, forgotten', { expiry: PAST }, 'pass', undefined],
    [
      'auto-preserved, not Failed',
      { own: { [KEY]: 'auto-preserved' }, expiry: LATER },
      'RemovePreserveAnnotations',
      LATER,
    ],
    [
      'auto-preserved, not Failed, not begun',
      { own: { [KEY]: 'auto-preserved' } },
      'RemovePreserveAnnotations',
      undefined,
    ],
    ['auto-preserved, Failed', { own: { [KEY]: 'auto-preserved' }, phase: 'Failed' }, 'pass', at(60 + 345_600)],
    [
      'auto-preserved, expired',
      { own: { [KEY]: 'auto-preserved' }, phase: 'Failed', expiry: PAST },
      'RemovePreserveAnnotations',
      PAST,
    ],
    ['expired and forgotten, still Failed: its set’s to delete', { phase: 'Failed', expiry: PAST }, 'pass', PAST],
    ['a word on the machine that nobody understands', { own: { [KEY]: 'yes' }, expiry: LATER }, 'pass', undefined],
    ['a word on the Node that nobody understands', { onNode: { [KEY]: 'yes' }, expiry: LATER }, 'pass', LATER],
    [
      'the Node’s word before the machine’s',
      { own: { [KEY]: 'now' }, onNode: { [KEY]: 'false' }, expiry: LATER },
      'RecordPreserveValue',
      undefined,
    ],
    ['the Node’s word, noted', { own: { [APPLIED]: 'now' }, onNode: { [KEY]: 'now' } }, 'pass', at(60 + 345_600)],
    [
      'the Node’s word taken back',
      { own: { [APPLIED]: 'now' }, onNode: {}, expiry: LATER },
      'RecordPreserveValue',
      undefined,
    ],
    [
      'no Node: the machine’s word',
      { own: { [KEY]: 'now', [APPLIED]: 'false' }, onNode: undefined },
      'pass',
      at(60 + 345_600),
    ],
    [
      'no Node, Failed, begun',
      { own: { [KEY]: 'when-failed' }, onNode: undefined, phase: 'Failed', expiry: LATER },
      'pass',
      LATER,
    ],
    ['no Node, expired', { own: { [KEY]: 'now' }, onNode: undefined, expiry: PAST }, 'RemovePreserveAnnotations', PAST],
  ];
  test.each(rows)('%s', (_what, one, action, until) => {
    expect([judge(one), expiry(one)]).toEqual([action, until]);
  });
});

describe('a preserved machine’s Node', () => {
  const change = (one: Case) => {
    const outcome = preservationApplied(seen(one));
    return outcome.kind === 'act' && outcome.action.do === 'changeNode' ? outcome.action.change : undefined;
  };
  const kept = { own: { [KEY]: 'now' }, expiry: LATER };

  test('is kept from scale-down, and tells until when', () => {
    expect(change(kept)).toEqual({
      annotations: { [SCALE_DOWN_DISABLED]: 'true', [BY_US]: 'true' },
      condition: {
        type: 'Preserved',
        status: 'True',
        reason: 'Preserved by user.',
        message: `Machine preserved until ${LATER}.`,
        lastTransitionTime: at(60),
        lastHeartbeatTime: at(60),
      },
    });
  });

  test('gets no new pods once the machine is Failed, and does when it recovered', () => {
    expect(change({ ...kept, phase: 'Failed' })?.taints).toEqual({ add: [TAINT] });
    expect(change({ ...kept, node: { spec: { taints: [TAINT] } } })?.taints).toEqual({ remove: [TAINT] });
  });

  test('that somebody else keeps from scale-down stays theirs', () => {
    expect(change({ ...kept, onNode: { [SCALE_DOWN_DISABLED]: 'true' } })?.annotations).toBeUndefined();
  });

  test('says who asked', () => {
    const auto = { own: { [KEY]: 'auto-preserved' }, phase: 'Failed', expiry: LATER };
    expect(change(auto)?.condition).toMatchObject({ reason: 'Preserved by MCM.' });
  });

  const told = {
    type: 'Preserved',
    status: 'True',
    reason: 'Preserved by user.',
    message: `Machine preserved until ${LATER}.`,
  };
  const marked = {
    metadata: { annotations: { [SCALE_DOWN_DISABLED]: 'true', [BY_US]: 'true' } },
    spec: { taints: [TAINT] },
    status: { conditions: [told] },
  };

  test('is not written again', () => {
    expect(judge({ ...kept, node: { ...marked, spec: {} } })).toBe('pass');
  });

  test('loses all that when it ends, before the expiry goes', () => {
    const ended = { own: { [KEY]: 'false' }, expiry: LATER, node: marked };
    expect([judge(ended), expiry(ended)]).toEqual(['EndPreservation', LATER]);
    expect(change(ended)).toMatchObject({
      annotations: { [SCALE_DOWN_DISABLED]: null, [BY_US]: null },
      taints: { remove: [TAINT] },
      condition: { status: 'False', reason: 'Preservation stopped.' },
    });
  });

  test('keeps what is not ours when it ends', () => {
    const theirs = { ...marked, metadata: { annotations: { [SCALE_DOWN_DISABLED]: 'true' } } };
    expect(change({ own: { [KEY]: 'false' }, expiry: LATER, node: theirs })?.annotations).toBeUndefined();
  });

  test('loses its own wish when the time is over', () => {
    const over = { own: { [APPLIED]: 'now' }, onNode: { [KEY]: 'now' }, expiry: PAST };
    expect(change(over)?.annotations).toEqual({ [KEY]: null });
  });
});

describe('preservation', () => {
  test('is decided in the same write that sets Failed', () => {
    const one = seen({ phase: 'Unknown', own: { [KEY]: 'when-failed' }, onNode: undefined });
    const now = BORN + 700_000;
    const late = { ...one, now, calls: { ...idle, askedAt: now } };
    const status = statusOf(late, plan(late), at(700));
    expect(status?.currentStatus).toMatchObject({ phase: 'Failed', preserveExpiryTime: at(700 + 345_600) });
  });

  test('ends with the machine', () => {
    const { machine, ...rest } = seen({ own: { [KEY]: 'now' }, expiry: LATER });
    const leaving = { ...rest, machine: { ...machine, metadata: { ...machine.metadata, deletionTimestamp: at(50) } } };
    const waiting = { step: 'VMDeleted', outcome: { kind: 'wait', reason: 'DriverCallInProgress', ms: 1 } } as const;
    expect(statusOf(leaving, waiting, at(60))?.currentStatus?.preserveExpiryTime).toBeUndefined();
  });

  test('has a timer of its own', () => {
    expect(preservationLeft(seen({ expiry: LATER }))).toBe(3_540_000);
    expect(preservationLeft(seen({ expiry: PAST }))).toBe(Infinity);
    expect(preservationLeft(seen({}))).toBe(Infinity);
  });

  test('that the API server does not let it show does not stop the judgement of health', () => {
    const refused = new Map([['PreservationApplied', { message: 'no', retryAt: NOW + 1 }]]);
    const one = { ...seen({ own: { [KEY]: 'now' }, expiry: LATER }), refused };
    expect(plan(one)).toEqual({ step: 'Reconciled', outcome: { kind: 'pass' } });
    const shown = statusOf(one, plan(one), at(60))?.conditions?.find(({ type }) => type === 'PreservationApplied');
    expect(shown).toMatchObject({ status: 'False', reason: 'WriteRefused', message: 'no' });
  });
});
